import Foundation
import Pledge

/// Writes what a recorder has seen, for a trace viewer.
func writeTrace(of recorder: CallRecorder, to file: String) throws(Failure) {
    do {
        // Not atomically: that would put a file in the place of a device, such as /dev/stdout.
        try Data(recorder.chromeTrace.utf8).write(to: URL(fileURLWithPath: file))
    } catch {
        throw Failure("trace", unwritable: file)
    }
    print("\nThe trace is in \(Printable.line(file)); open it in ui.perfetto.dev.")
}
