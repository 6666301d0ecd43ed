import Foundation
import Pledge

/// Writes the calls of a recorder as a page for a browser.
func writePage(of recorder: CallRecorder, to file: String) throws(Failure) {
    do {
        try recorder.page(to: URL(fileURLWithPath: file))
    } catch {
        throw Failure("page", unwritable: file)
    }
    print("\nThe page is in \(Printable.line(file)); open it in a browser.")
}
