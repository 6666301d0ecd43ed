@_exported public import CallbackActions
@_exported public import Composition
@_exported public import Futures
@_exported public import HTTPNetworking
@_exported public import InMemoryTransport
@_exported public import Services
@_exported public import Stores
@_exported public import URLSessionTransport
