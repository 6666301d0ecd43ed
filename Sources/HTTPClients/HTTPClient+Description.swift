import PledgeHTTPNetworking

extension HTTPClient: CustomStringConvertible, CustomReflectable {
    /// The base, without what may be a secret in it.
    public var description: String {
        let origin = base.map {
            HTTPOrigin($0)?.description ?? "a base that is no http or https URL"
        }
        return "HTTPClient(\(origin ?? "no base"))"
    }

    /// A mirror that shows the description: slots hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}
