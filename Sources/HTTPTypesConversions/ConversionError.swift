#if HTTPTypes
import PledgeHTTPMessages
import PledgeHTTPText
public import PledgeServices

/// An error that says why a message can't be converted between Pledge and HTTPTypes.
public enum ConversionError: Error, Hashable, Sendable {
    /// A field's name isn't a token, or is a pseudo field's name.
    case invalidFieldName(String)
    /// A field's value contains a byte that `HTTPField` would replace with a space.
    case invalidFieldValue(name: String)
    /// There are more fields than `HTTPFields` can hold.
    case tooManyFields(Int)
    /// The method isn't a token.
    case invalidMethod(String)
    /// The request has no absolute http or https URL, or the URL would change when it is sent.
    case invalidURL
    /// The URL contains user information.
    case userInfoInURL
    /// The Host field and the URL name different hosts.
    case hostDiffers
    /// The request is for a tunnel or another protocol, not for a resource.
    case notForAResource(method: String)
    /// The status is outside 0…999.
    case invalidStatus(Int)
}

extension ConversionError: CustomStringConvertible {
    /// What is wrong and what to do, without field values, URLs and control characters.
    public var description: String {
        switch self {
        case .invalidFieldName(let name):
            """
            the field "\(SafeText.escaped(name))" cannot be converted: a name is made of letters, digits and \
            !#$%&'*+-.^_`|~; the pseudo fields are set by the request's method, scheme, authority and path
            """
        case .invalidFieldValue(let name):
            """
            the value of the field "\(SafeText.escaped(name))" cannot be converted: HTTPField would put spaces in \
            the place of its control characters; take them out
            """
        case .tooManyFields(let count):
            "\(count) fields cannot be converted: HTTPFields holds at most 65534; leave some out"
        case .invalidMethod(let method):
            """
            the method "\(SafeText.escaped(method))" cannot be converted: a method is made of letters, digits and \
            !#$%&'*+-.^_`|~
            """
        case .invalidURL:
            """
            there is no absolute http or https URL: the scheme is http or https, the authority is a host with or \
            without a port up to 65535, and the path begins with "/" and is percent-encoded
            """
        case .userInfoInURL:
            """
            the URL names a user, which an authority must not (RFC 9113, section 8.3.1): take the user out of it, \
            and send an Authorization field
            """
        case .hostDiffers:
            """
            the field Host names another host than the URL, of which HTTPTypes has one only, the authority: take \
            the field out, or put its host into the URL
            """
        case .notForAResource(let method):
            """
            a request with the method \(SafeText.escaped(method)) that has no URL, such as one for a tunnel or for \
            "*", cannot be converted: send it by the library that it is made for
            """
        case .invalidStatus(let status):
            "the status \(status) cannot be converted: a status lies in 0...999"
        }
    }
}

extension ConversionError: CodedError {
    /// The name of the case.
    public var loggedCode: String {
        switch self {
        case .invalidFieldName: "invalidFieldName"
        case .invalidFieldValue: "invalidFieldValue"
        case .tooManyFields: "tooManyFields"
        case .invalidMethod: "invalidMethod"
        case .invalidURL: "invalidURL"
        case .userInfoInURL: "userInfoInURL"
        case .hostDiffers: "hostDiffers"
        case .notForAResource: "notForAResource"
        case .invalidStatus: "invalidStatus"
        }
    }
}
#endif
