@_exported public import PledgeComposition
@_exported public import PledgeHTTP
@_exported public import PledgeLibcurlTransport
@_exported public import PledgeURLSessionTransport
