extension HTTPDate {
    /// The system's date.
    public static var now: HTTPDate {
        HTTPDate(secondsSince1970: Int64(Date().timeIntervalSince1970.rounded(.down)))
    }
}
