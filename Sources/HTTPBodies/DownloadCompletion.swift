import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

extension ResumableDownload {
    /// Checks the complete file, decodes it if needed, and renames it to its final name.
    func finish() -> Future<HTTPDownload> {
        let (state, head, round) = progress.withLock { ($0.state, $0.head, $0.round) }
        let response = (head ?? HTTPResponse(status: 200)).withRequest(request)
        // The file is only decoded if the client has a `.decompress` that knows the coding.
        let isKept = response.request?.context.coding == .kept
        let codings = isKept ? ContentCoding.all(in: ["Content-Encoding": state.coding]) ?? [] : []
        return writer.perform { file in
            try file.truncate(to: state.total ?? 0)
            return file
        }
        .flatMap { encoded -> Future<Int64> in
            if !codings.isEmpty { return self.decode(encoded, codings, response, round) }
            return self.writer.perform { file in
                try self.judging { try file.check(self.sha256) }
            }
            .flatMap { self.writer.commit() }
            .map { state.total ?? 0 }
        }
        .flatMap { size in
            // The file already has its name, so a failure here doesn't matter.
            try? self.folder.syncFolder()
            try? self.folder.remove(self.record)
            var response = response
            if !codings.isEmpty { response.dropCoding() }
            return Future(
                value: HTTPDownload(
                    file: self.file, byteCount: size,
                    resumedFrom: self.progress.withLock { $0.earlier }, response: response))
        }
        .mapError { named($0, self.request, response) }
    }

    /// Decodes the file into a second one, which then gets the final name.
    private func decode(
        _ encoded: OpenFile, _ codings: [ContentCoding], _ response: HTTPResponse, _ round: Int
    ) -> Future<Int64> {
        let decoded = FileWriter(for: file, as: decodedName)
        return decoded.create().flatMap {
            decoded.perform { file in
                try self.judging {
                    do {
                        try self.decode(encoded, codings, into: file, round)
                    } catch {
                        guard error is DecompressionFailure || error is HTTPError else {
                            throw error
                        }
                        throw Decompression(limit: Int(clamping: self.limit), available: [])
                            .error(for: error, response, self.request)
                    }
                    try file.check(self.sha256)
                }
                return try file.size()
            }
        }
        .flatMap { size in decoded.commit().map { size } }
        .onEnd { if case .failure = $0 { decoded.discard() } }
        .flatMap { size in self.writer.suspend { self.remove($0) }.map { size } }
    }

    private func decode(
        _ encoded: OpenFile, _ codings: [ContentCoding], into file: OpenFile, _ round: Int
    ) throws {
        var decoder = try BodyDecoder(codings, limit: Int(clamping: limit))
        var position: Int64 = 0
        while let bytes = try encoded.read(at: position) {
            position += Int64(bytes.count)
            decoder.give(bytes)
            while let piece = try decoder.read() {
                // Throws if the download was cancelled.
                try during(round) { _ in }
                try file.write(piece)
            }
        }
        try decoder.finish()
    }

    /// Calls a function that checks the bytes.
    ///
    /// If it throws because they are wrong, the state of the download is discarded, so that a later one starts over.
    private func judging(_ body: () throws -> Void) throws {
        do { try body() } catch {
            if error is HTTPError { progress.withLock { $0.state.reset() } }
            throw error
        }
    }
}
