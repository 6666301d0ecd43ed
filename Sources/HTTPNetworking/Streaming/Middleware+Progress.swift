import Futures
public import Services

extension Middleware where Input == HTTPRequest {
    /// Reports how much of each request's body was taken to be sent.
    ///
    /// See ``HTTPRequest/Body/reportingProgress(to:)``. Of several calls at a time each counts for itself.
    ///
    /// - Parameter report: Called with the number of bytes so far, and of all, nil where that is not known.
    public static func uploadProgress(
        _ report: @escaping @Sendable (_ completed: Int, _ total: Int?) -> Void
    ) -> Middleware {
        Middleware { next in
            { request in
                var request = request
                request.body = request.body.reportingProgress(to: report)
                return next(request)
            }
        }
    }
}

extension Middleware where Input == HTTPRequest, Output == HTTPStreamedResponse {
    /// Reports how much of each response's body was read.
    ///
    /// See ``HTTPBodyStream/reportingProgress(to:)``. Of several calls at a time each counts for itself.
    ///
    /// - Parameter report: Called with the number of bytes so far, and of all, nil where that is not known.
    public static func downloadProgress(
        _ report: @escaping @Sendable (_ completed: Int, _ total: Int?) -> Void
    ) -> Middleware {
        Middleware { next in
            { request in
                next(request).mapWithoutOrigin { response in
                    var response = response
                    response.body = response.body.reportingProgress(to: report)
                    return response
                }
            }
        }
    }
}
