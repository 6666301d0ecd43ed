public import Services

extension CallRecorder {
    /// Writes all calls that are kept to a file, as one page of HTML that any browser opens.
    ///
    /// ```swift
    /// try recorder.page(to: URL(fileURLWithPath: "calls.html"))
    /// ```
    ///
    /// The page is `htmlPage`. What stands in the file before is replaced, in place, so that the file may be
    /// a device. The calling thread waits until it is written.
    ///
    /// - Parameter file: Where to write it: the URL of a file in a folder that exists.
    /// - Throws: Foundation's error where the file cannot be written, or the URL is none of a file.
    /// - Complexity: That of `htmlPage`.
    public func page(to file: URL) throws {
        try Data(htmlPage.utf8).write(to: file)
    }
}
