public import PledgeServices

extension CallRecorder {
    /// Writes all calls that are kept to a file, as one page of HTML that any browser opens.
    ///
    /// ```swift
    /// try recorder.page(to: URL(fileURLWithPath: "calls.html"))
    /// ```
    ///
    /// The page is `htmlPage`. The content of the file is replaced in place, so the file may be a device. The
    /// calling thread waits until it is written.
    ///
    /// - Parameter file: The URL of a file in an existing folder.
    /// - Throws: Foundation's error if the file cannot be written, or the URL is not a file URL.
    /// - Complexity: That of `htmlPage`.
    public func page(to file: URL) throws {
        try Data(htmlPage.utf8).write(to: file)
    }
}
