import Foundation
import Pledge

/// Writes the calls of a recorder as a file for a trace viewer.
func writeTrace(of recorder: CallRecorder, to file: String) throws(Failure) {
    do {
        // Not atomically: an atomic write would replace a device, such as /dev/stdout, by a file.
        try Data(recorder.chromeTrace.utf8).write(to: URL(fileURLWithPath: file))
    } catch {
        throw Failure("trace", unwritable: file)
    }
    print("\nThe trace is in \(Printable.line(file)); open it in ui.perfetto.dev.")
}
