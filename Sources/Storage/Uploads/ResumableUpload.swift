import Dispatch
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

/// Sends an upload's requests, one after the other.
final class ResumableUpload: Sendable {
    private let file: URL
    private let version: FileVersion
    private let service: HTTPService
    private let state: Locked<UploadState>
    private let record: URL?
    private let rules: Resumption
    private let report: (@Sendable (Int64, Int64?) -> Void)?
    private let random: RandomSource
    private let scheduler: any FutureScheduler
    private let queue = DispatchQueue(label: "Pledge.ResumableUpload")

    init(
        _ file: URL, _ version: FileVersion, _ service: @escaping HTTPService,
        _ state: UploadState, _ record: URL?, _ rules: Resumption,
        _ report: (@Sendable (Int64, Int64?) -> Void)?, _ random: RandomSource,
        _ scheduler: any FutureScheduler
    ) {
        self.file = file
        self.version = version
        self.service = service
        self.state = Locked(state)
        self.record = record
        self.rules = rules
        self.report = report
        self.random = random
        self.scheduler = scheduler
    }

    func run() -> Future<HTTPResponse> {
        withRecord { folder, name in
            try self.checkPlace(of: name, in: folder)
            guard let bytes = try Self.ownBytes(of: name, in: folder) else { return }
            self.state.withLock { $0.goOn(with: bytes) }
        }
        .flatMap { self.goOn(asking: true, failures: 0, restarts: 0, after: nil) }
        .flatMap { response in self.forget().map { response } }
        .mapError { error in error.withRequest(self.state.withLock { $0.request }) }
    }

    /// Throws if a record can't be written, before the server creates an upload that nobody would remember.
    private func checkPlace(of name: String, in folder: SystemFolder) throws(FileError) {
        guard let record else { return }
        try FileError.checkTarget(record)
        do {
            try folder.remove(name + "-new")
            try folder.write([], to: name + "-new", at: 0)
            try folder.remove(name + "-new")
        } catch {
            throw FileError(operation: error.operation, code: error.code, path: record.path)
        }
    }

    /// Records how much was sent, or will be sent by the next request at most.
    private func remember(isSending: Bool) -> Future<Void> {
        let bytes = state.withLock { $0.changedRecord(isSending: isSending) }
        guard let bytes else { return Future(value: ()) }
        return withRecord { folder, name in
            try folder.replace(
                name, with: bytes, by: name + "-new",
                at: Int64(Date().timeIntervalSince1970 * 1e9))
        }
    }

    /// Reads a record; nil if there is none that only the user can have written.
    private static func ownBytes(
        of name: String, in folder: SystemFolder
    ) throws(FileError) -> [UInt8]? {
        do {
            return try folder.read(name, upTo: 1 << 20)?.bytes
        } catch {
            if error.isOfUnusableFile { return nil }
            throw error
        }
    }

    private func forget() -> Future<Void> {
        withRecord { folder, name in try folder.remove(name) }
    }

    /// Calls a function with the record's folder and name, if a record is wanted.
    private func withRecord(
        _ body: @escaping @Sendable (SystemFolder, String) throws -> Void
    ) -> Future<Void> {
        guard let record else { return Future(value: ()) }
        return Future.make { resolver in
            self.queue.async {
                do {
                    let folder = SystemFolder(record.deletingLastPathComponent())
                    try body(folder, record.lastPathComponent)
                    resolver.resolve()
                } catch {
                    resolver.reject(with: HTTPError(code: .fileUnwritable, cause: error))
                }
            }
        }
    }

    /// Sends requests until everything is sent; after a failure, first asks the server how much it has.
    private func goOn(
        asking: Bool, failures: Int, restarts: Int, after wait: Duration?
    ) -> Future<HTTPResponse> {
        let before = state.withLock { ($0.highest, $0.location) }
        return send(asking: asking).flatMapError { error in
            if error is OtherUsers {
                self.state.withLock { $0.reset() }
                return self.goOn(asking: true, failures: 0, restarts: restarts, after: nil)
            }
            let isFurther = self.state.withLock {
                $0.highest > before.0 || before.1 == nil && $0.location != nil
            }
            // Without this, a later run would assume that the server may have the whole body.
            return self.remember(isSending: false).flatMapResult { _ in
                self.goOn(
                    after: error, failures: isFurther ? 1 : failures + 1, restarts: restarts,
                    last: wait)
            }
        }
    }

    /// Decides how to continue after a failed request.
    private func goOn(
        after error: any Error, failures: Int, restarts: Int, last: Duration?
    ) -> Future<HTTPResponse> {
        let step = state.withLock { $0.step(after: (error as? HTTPError)?.status) }
        if case .restart? = step {
            state.withLock { $0.reset() }
            return forget().flatMap {
                guard restarts < self.rules.retry.attempts else { throw error }
                return self.goOn(
                    asking: true, failures: failures - 1, restarts: restarts + 1, after: nil)
            }
        }
        let next = rules.wait(
            after: error, isTemporary: step != nil, failures: failures, last: last, random: random)
        if let next {
            return Future<Void>(value: ()).delay(next.time, on: scheduler)
                .flatMap {
                    self.goOn(
                        asking: true, failures: failures, restarts: restarts, after: next.backoff)
                }
        }
        if let left = attemptsAnew(after: error, failures: failures) {
            state.withLock { $0.reset() }
            return goOn(
                asking: true, failures: rules.retry.attempts - left, restarts: restarts, after: nil)
        }
        guard state.withLock({ $0.isBroken }) else { return Future(error: error) }
        return forget().flatMapResult { _ in Future(error: error) }
    }

    /// How often to try a new upload in place of a recorded one that can't continue; nil for never.
    ///
    /// With that record, each call would fail in the same way. It stays until the new upload has a URL, so nothing is
    /// lost if the server is only down. The recorded upload is asked once more.
    private func attemptsAnew(after error: any Error, failures: Int) -> Int? {
        let code = (error as? HTTPError)?.code
        guard state.withLock({ $0.isRecorded }), !(error is CancellationError),
            code != .fileUnwritable, code != .bodyUnreadable
        else { return nil }
        if rules.isFinal(error) { return rules.retry.attempts }
        return failures >= rules.retry.attempts ? 1 : nil
    }

    private func send(asking: Bool) -> Future<HTTPResponse> {
        if let change = change() { return Future(error: change) }
        if state.withLock({ $0.isOfUnknownUsers }) {
            return identify().flatMap { self.send(asking: asking) }
        }
        if state.withLock({ $0.location }) == nil || asking { return exchange(asking: asking) }
        return remember(isSending: true).flatMap { self.exchange(asking: false) }
    }

    private func exchange(asking: Bool) -> Future<HTTPResponse> {
        var (request, state, sent) = state.withLock { state in
            let sent = state.location == nil || asking ? nil : state.send()
            return (state.request(asking: asking), state, sent)
        }
        if let sent {
            request.context.noteSentBytes = sent.noteTaken
            request.body = body(to: state.end, of: state.size, state.contentType, noting: sent)
        }
        return service(request).flatMap { [request] response in
            guard (200...299).contains(response.status) else {
                throw HTTPError(code: .unacceptableStatus, request: request, response: response)
            }
            let step = try self.state.withLock { state in
                try state.noteUsers(of: response.request ?? request)
                return try state.receive(response, asking: asking)
            }
            switch step {
            case .done:
                if let change = self.change() { throw change }
                return Future(value: response)
            case .created, .append, .ask, .restart: return self.send(asking: false)
            }
        }
    }

    /// Finds out whose call this is: only what the layers below add to the request matters, not the answer.
    private func identify() -> Future<Void> {
        let request = state.withLock { $0.optionsRequest }
        return service(request).flatMapResult { result in
            switch result {
            case .success(let response):
                try self.state.withLock { try $0.noteUsers(of: response.request ?? request) }
            case .failure(let error):
                guard let sent = (error as? HTTPError)?.response?.request else { throw error }
                try self.state.withLock { try $0.noteUsers(of: sent) }
            }
            return Future(value: ())
        }
    }

    /// The error if the file has changed since the upload began; nil if it hasn't.
    private func change() -> HTTPError? {
        let folder = SystemFolder(file.deletingLastPathComponent())
        if folder.version(of: file.lastPathComponent) == version { return nil }
        let request = state.withLock { state in
            state.noteChange()
            return state.request
        }
        return HTTPError(
            code: .bodyUnreadable, request: request, cause: FileError.stale(file.path),
            reason: "the file was changed during the upload")
    }

    private func body(
        to end: Int64, of size: Int64, _ type: String, noting sent: SentBytes
    ) -> HTTPRequest.Body {
        let start = sent.start
        let source = HTTPRequest.BodySource(length: end - start, isReplayable: true) {
            [file, report] in
            let rest = Locked(end - start)
            let stream = try HTTPBodyStream.file(file, from: start)
            let part = HTTPBodyStream(
                length: end - start,
                next: {
                    if rest.withLock({ $0 }) == 0 { return Future(value: nil) }
                    return stream.next().map { chunk in
                        chunk.map { chunk in
                            rest.withLock { rest in
                                let taken = chunk.prefix(Int(min(rest, Int64(chunk.count))))
                                rest -= Int64(taken.count)
                                sent.noteRead(end - start - rest)
                                return taken
                            }
                        }
                    }
                }, cancel: { stream.cancel() })
            guard let report else { return part }
            return part.reportingProgress { count, _ in report(start + count, size) }
        }
        return HTTPRequest.Body(.stream(source), contentType: type)
    }
}

extension Resumption {
    /// Returns whether another try would end with the same error.
    fileprivate func isFinal(_ error: any Error) -> Bool {
        error is HTTPError && outcome(error).retry == .never
    }
}
