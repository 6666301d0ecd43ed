public import PledgeServices

extension CallRecorder {
    /// Writes all kept calls to a file, as one HTML page that any browser opens.
    ///
    /// ```swift
    /// try recorder.page(to: URL(fileURLWithPath: "calls.html"))
    /// ```
    ///
    /// The page is `htmlPage`. An existing file is overwritten in place, rather than replaced by a new file, so you can
    /// also write to a device. The calling thread waits until the page is written.
    ///
    /// - Parameter file: The URL of a file in an existing folder.
    /// - Throws: Foundation's error if the file cannot be written, or the URL is not a file URL.
    /// - Complexity: The same as `htmlPage`.
    public func page(to file: URL) throws {
        try Data(htmlPage.utf8).write(to: file)
    }
}
