extension StoreRecorder where Event: Encodable {
    /// Writes the events that lead to the state now to a file, each as JSON on a line of its own.
    ///
    /// Undone events are left out, and also events that were dropped because of the maximum: then
    /// ``droppedEvents`` is not 0, and the events lead on from the first of ``states``. Secrets in events are
    /// in the file, too.
    ///
    /// - Parameters:
    ///   - file: The file. An existing file is replaced atomically.
    ///   - encoder: Encodes each event. Line breaks in its output are removed: in JSON a line break is only
    ///     white space.
    /// - Throws: ``RecordingError``, if an event cannot be encoded or the file cannot be written.
    public func save(to file: URL, encoder: JSONEncoder = JSONEncoder()) throws {
        var data = Data()
        for (index, event) in eventsUpToNow.enumerated() {
            do {
                data.append(contentsOf: try encoder.encode(event).filter { !isLineBreak($0) })
            } catch {
                throw RecordingError(.unencodable, file, line: index + 1, Event.self, error)
            }
            data.append(UInt8(ascii: "\n"))
        }
        do {
            try data.write(to: file, options: .atomic)
        } catch {
            throw RecordingError(.unwritable, file, Event.self, error)
        }
    }
}

/// Whether a byte of JSON is a line break; within a string it would be escaped.
private func isLineBreak(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

extension StoreRecorder where Event: Decodable {
    /// Replays the events of a file that ``save(to:encoder:)`` has written, without their effects.
    ///
    /// They are applied to the current state; in a recorder with the same initial state they make the same
    /// states.
    ///
    /// - Parameters:
    ///   - file: The file. Empty lines are skipped.
    ///   - decoder: Decodes each event.
    /// - Throws: ``RecordingError``, if the file cannot be read or a line is not such an event; then no event
    ///   is replayed.
    public func replay(contentsOf file: URL, decoder: JSONDecoder = JSONDecoder()) throws {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw RecordingError(.unreadable, file, Event.self, error)
        }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var events: [Event] = []
        for (index, line) in lines.enumerated() where !line.allSatisfy(isBlank) {
            do {
                events.append(try decoder.decode(Event.self, from: Data(line)))
            } catch {
                throw RecordingError(.malformed, file, line: index + 1, Event.self, error)
            }
        }
        replay(events)
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
