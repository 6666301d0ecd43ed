extension Recorder where Event: Encodable {
    /// Writes the events that lead to the state now to a file, each as JSON on a line of its own.
    ///
    /// Those that were undone are left out, and those that were dropped since there were more than the
    /// maximum: then ``droppedEvents`` is not 0, and the events lead on from the first of
    /// ``states``. Secrets in events are in the file, too.
    ///
    /// - Parameters:
    ///   - file: The file. What is there is replaced at once, or not at all.
    ///   - encoder: Encodes each event. Where it breaks lines, the lines are joined: in JSON a line
    ///     break is no more than a space.
    /// - Throws: ``RecordingError``, if an event cannot be encoded or the file not be written.
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

/// Whether a byte of JSON breaks the line; in a string it would be escaped.
private func isLineBreak(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

extension Recorder where Event: Decodable {
    /// Plays the events of a file that ``save(to:encoder:)`` has written, without their effects.
    ///
    /// They follow the state now: of a recorder with the same initial state, they make the same states.
    ///
    /// - Parameters:
    ///   - file: The file. Empty lines are skipped.
    ///   - decoder: Decodes each event.
    /// - Throws: ``RecordingError``, if the file cannot be read or a line is not such an event; then
    ///   none is played.
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
