import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeServices

/// A download that continues after a lost connection, or in a later run of the process.
///
/// It works in rounds: a round loads the missing parts, until all are complete or one fails. `DownloadState` decides
/// what the answers mean. Only the writer's queue changes the file. A step of an old round does nothing: each step
/// first checks the round, under the lock that guards the state.
final class ResumableDownload: Sendable {
    struct Progress {
        var state: DownloadState
        var round = 0
        var head: HTTPResponse?
        /// How many bytes an earlier call had loaded.
        var earlier: Int64 = 0
        /// The users of the last accepted answer; nil as long as only an earlier call has loaded bytes.
        var users: RequestUsers?
        /// The sign-ins of the call's first answer.
        var signIns = SignIns()
        /// True once the earlier run's record was read, or found missing.
        var isOpen = false
        /// True after a restart for a reason that may come only once.
        var hasBegunAnew = false
        /// True if the file is loaded in one part, because its parts didn't fit.
        var isPlain = false
        /// How many bytes the record on the disk promises.
        var saved: Int64 = 0
        /// True if the record will be written within a second.
        var isDue = false
    }

    /// Discards the bytes so far, and starts over.
    private struct Restart: Error {
        var reason: String
        /// The answer that doesn't fit.
        var head: HTTPResponse
        /// True if the download fails when this reason comes again.
        var isOnce = false
        /// True if the next try may still load several parts.
        var keepsParts = false
    }

    let request: HTTPRequest
    private let service: HTTPStreamingService
    private let rules: Resumption
    private let partCount: Int
    private let isAccepted: @Sendable (Int) -> Bool
    let limit: Int64
    let sha256: [UInt8]?
    private let report: (@Sendable (Int64, Int64?) -> Void)?
    private let random: RandomSource
    private let scheduler: any FutureScheduler
    let writer: FileWriter
    let file: URL
    /// The folder of the record, which says what the unfinished file holds.
    let folder: SystemFolder
    let record: String
    /// The temporary name of the decoded file; only the download with the lock uses it.
    let decodedName: String
    let progress: Locked<Progress>

    init(
        _ request: HTTPRequest, to file: URL, over service: @escaping HTTPStreamingService,
        _ rules: Resumption, parts partCount: Int,
        accepting isAccepted: @escaping @Sendable (Int) -> Bool,
        limit: Int64, sha256: [UInt8]?, progress report: (@Sendable (Int64, Int64?) -> Void)?,
        random: RandomSource, on scheduler: any FutureScheduler
    ) {
        var request = request
        // The download wants the bytes that a Range counts. A server may still send a coding.
        request.headers.set("identity", for: "Accept-Encoding")
        // The rounds are the retries, so a retry below must not multiply them.
        request.context.skipsRetry = true
        request.context.users = RequestUsers()
        request.context.coding = .wanted
        self.request = request
        self.service = service
        self.rules = rules
        self.partCount = partCount
        self.isAccepted = isAccepted
        self.limit = limit
        self.sha256 = sha256
        self.report = report
        self.random = random
        self.scheduler = scheduler
        self.file = file
        let name = file.lastPathComponent
        // File names have at most 255 bytes.
        let short = name.utf8.count > 200 ? SHA256.hash(Array(name.utf8)).hexadecimal : name
        writer = FileWriter(for: file, keptAs: ".pledge-\(short).part")
        record = ".pledge-\(short).resume"
        decodedName = ".pledge-\(short).decoded"
        folder = SystemFolder(file.deletingLastPathComponent())
        progress = Locked(Progress(state: DownloadState(url: request.url.absoluteString)))
    }

    deinit { LastWrites.remove(self) }

    /// Loads what is missing, and renames the complete file.
    func run() -> Future<HTTPDownload> {
        LastWrites.add(self)
        return open(100).flatMap { self.goOn(failures: 0, restarts: 0, after: nil) }
            .flatMap { self.finish() }
            .flatMapSomeResults { result in
                guard case .failure(let error) = result, !(error is CancellationError) else {
                    return nil
                }
                // The record is written before the caller learns of the failure, because the caller may then start
                // again.
                return self.suspend().flatMapResult { _ in Future(error: error) }
            }
            .mapError { error in
                error is FileError
                    ? HTTPError(code: .fileUnwritable, request: self.request, cause: error)
                    : error.withRequest(self.request)
            }
            .onEnd { result in
                guard case .failure = result else { return LastWrites.remove(self) }
                // Makes what the file's queue is doing a step of an old round.
                self.progress.withLock { $0.round += 1 }
                self.suspend().observe { _ in LastWrites.remove(self) }
            }
    }

    /// Opens the unfinished file.
    ///
    /// Waits while another download has it, which may just have been cancelled.
    private func open(_ tries: Int) -> Future<Void> {
        writer.create().flatMapError { error in
            let wait = Duration.milliseconds(50)
            guard tries > 1, let error = error as? FileError, error.isOfLock,
                CallContext.current.hasTime(for: wait)
            else { throw error }
            return Future<Void>(value: ()).delay(wait, on: self.scheduler)
                .flatMap { self.open(tries - 1) }
        }
        .flatMap {
            self.writer.perform { file in
                let stored = try self.storedRecord()
                // Left over if the process ended while it decoded.
                try self.folder.remove(self.decodedName)
                let size = try file.size()
                let isUsed = self.progress.withLock { progress in
                    progress.isOpen = true
                    guard let earlier = stored.flatMap({ DownloadState(encoded: $0) }),
                        let state = progress.state.continuing(earlier), state.reached <= size
                    else { return false }
                    progress.state = state
                    progress.earlier = state.received
                    progress.saved = state.received
                    return true
                }
                if !isUsed { try self.clear(file) }
            }
        }
    }

    /// An earlier call's record; nil if there is none, or if it's too large.
    private func storedRecord() throws(FileError) -> [UInt8]? {
        do {
            return try folder.read(record, upTo: 1 << 20)?.bytes
        } catch {
            if error.isOfLargeFile { return nil }
            throw error
        }
    }

    /// Runs rounds until the file is complete.
    private func goOn(failures: Int, restarts: Int, after wait: Duration?) -> Future<Void> {
        let before = progress.withLock { $0.state.received }
        return load().flatMapError { error in
            if let restart = error as? Restart {
                let isAgain = self.progress.withLock { progress in
                    defer { if restart.isOnce { progress.hasBegunAnew = true } }
                    progress.round += 1
                    progress.state.reset()
                    // If each answer changes the cookies, parts would start over again and again.
                    if !restart.keepsParts || restarts > 0 || self.rules.retry.attempts == 1 {
                        progress.isPlain = true
                    }
                    return restart.isOnce && progress.hasBegunAnew
                }
                guard restarts < self.rules.retry.attempts, !isAgain else {
                    throw HTTPError(
                        code: .badResponse, request: self.request, response: restart.head,
                        reason: restart.reason)
                }
                return self.goOn(failures: failures, restarts: restarts + 1, after: nil)
            }
            let hasCome = self.progress.withLock { progress in
                progress.round += 1
                // Without a validator, nothing tells whether the next bytes are of the same file.
                if progress.state.validator == nil { progress.state.reset() }
                return progress.state.received > before
            }
            let failures = hasCome ? 1 : failures + 1
            let next = self.rules.wait(
                after: error, failures: failures, last: wait, random: self.random)
            guard let next else { throw error }
            return Future<Void>(value: ()).delay(next.time, on: self.scheduler)
                .flatMap {
                    self.goOn(failures: failures, restarts: restarts, after: next.backoff)
                }
        }
    }

    /// Loads all missing parts; again, as long as answers uncover more of them.
    private func load() -> Future<Void> {
        let (round, missing) = progress.withLock { progress in
            progress.round += 1
            progress.state.divide(into: progress.isPlain ? 1 : partCount)
            return (progress.round, progress.state.missing)
        }
        return Future.traverse(missing, maxConcurrent: partCount) { self.load($0, round) }
            .flatMap { _ in
                self.progress.withLock { $0.state.isComplete } ? Future(value: ()) : self.load()
            }
    }

    private func load(_ part: Int, _ round: Int) -> Future<Void> {
        let (asked, signIns) = progress.withLock { ($0.headers(of: part, round), $0.signIns) }
        guard let headers = asked else { return Future(error: CancellationError()) }
        var request = request
        // The layers below refuse to send a request for other users than the call's.
        request.context.signIns.bind(signIns)
        for field in headers { request.headers.set(field.value, for: field.name) }
        request.context.acceptsPart = !headers.isEmpty
        return service(request).flatMapResult { [request] result in
            switch result {
            case .success(let response):
                do {
                    return try self.receive(
                        response.head.withRequest(request), response, part, round
                    )
                    .mapError { named($0, request, response.head) }
                } catch {
                    response.discardBody()
                    throw named(error, request, response.head)
                }
            case .failure(let error):
                // The client may be set to turn a 416 into an error.
                guard let head = (error as? HTTPError)?.response, head.status == 416 else {
                    throw error
                }
                do {
                    return try self.receive(head.withRequest(request), nil, part, round)
                } catch is Refused {
                    throw error
                } catch {
                    throw named(error, request, head)
                }
            }
        }
        .flatMap {
            let isOver = self.progress.withLock { progress in
                progress.round != round || progress.state.parts[part].isComplete
            }
            return isOver ? Future(value: ()) : self.load(part, round)
        }
    }

    /// The client's own error is thrown, because the answer's body is no longer there.
    private struct Refused: Error {}

    /// Decides what an answer means, and writes its body.
    private func receive(
        _ head: HTTPResponse, _ response: HTTPStreamedResponse?, _ part: Int, _ round: Int
    ) throws -> Future<Void> {
        let step = try during(round) { progress in
            let users = head.request?.users ?? RequestUsers()
            let isSameUser =
                progress.users.map { users.haveCookies(of: $0) }
                ?? users.isMarked(by: progress.state.users)
            if [206, 416].contains(head.status), progress.state.received > 0, !isSameUser {
                let reason =
                    progress.users == nil
                    ? "the bytes are another user's" : "the cookies have changed"
                throw Restart(reason: reason, head: head, keepsParts: true)
            }
            let step = progress.state.receive(
                head.status, isAccepted: isAccepted(head.status), head.headers,
                length: response?.body.length,
                isDecoded: head.request?.context.coding == .decoded, for: part)
            switch step {
            case .write, .rewrite, .end:
                progress.head = head
                progress.users = users
                progress.state.users = users.mark
                if let sent = head.request { progress.signIns.bind(sent.context.signIns) }
            case .restart, .refuse: break
            }
            guard progress.state.total ?? 0 <= limit else { throw HTTPError(code: .bodyTooLarge) }
            return step
        }
        switch step {
        case .end:
            response?.discardBody()
            return Future(value: ())
        case .restart(let reason, let isOnce):
            throw Restart(reason: reason, head: head, isOnce: isOnce)
        case .refuse:
            guard let response else { throw Refused() }
            if isAccepted(head.status) {
                throw HTTPError(
                    code: .badResponse, reason: "a part came, though the whole was asked for")
            }
            return response.refused(for: request, keeping: mostOfRefused, on: scheduler)
        case .write(let end):
            guard let response else { throw Refused() }
            return write(response.body, upTo: end, part, round)
        case .rewrite(let end):
            guard let response else { throw Refused() }
            return writer.perform { file in
                try self.during(round) { _ in }
                try self.clear(file)
            }
            .flatMap { self.write(response.body, upTo: end, part, round) }
        }
    }

    /// Removes the record, and then all bytes.
    ///
    /// In the other order, a crash would leave a record of bytes that are gone.
    private func clear(_ file: OpenFile) throws {
        try folder.remove(record)
        try folder.syncFolder()
        try file.truncate(to: 0)
        progress.withLock { ($0.earlier, $0.saved) = (0, 0) }
    }

    /// Reads or changes the state; throws if the round is over.
    func during<Result>(
        _ round: Int, _ body: (inout Progress) throws -> Result
    ) throws -> Result {
        try progress.withLock { progress in
            guard progress.round == round else { throw CancellationError() }
            return try body(&progress)
        }
    }

    /// Writes a body at a part's missing bytes.
    private func write(
        _ body: HTTPBodyStream, upTo end: Int64?, _ part: Int, _ round: Int
    ) -> Future<Void> {
        body.forEach { chunk in
            self.writer.perform { file in
                let position = try self.during(round) { $0.state.parts[part].next }
                let room = end.map { $0 - position } ?? .max
                guard Int64(chunk.count) <= room else {
                    throw HTTPError(code: .bodyLengthMismatch)
                }
                guard Int64(chunk.count) <= self.limit - position else {
                    throw HTTPError(code: .bodyTooLarge)
                }
                try file.write(chunk, at: position)
                let (received, total) = try self.during(round) { progress in
                    progress.state.advance(part, by: chunk.count)
                    return (progress.state.received, progress.state.total)
                }
                try self.saveSoon(file, received)
                self.report?(received, total)
            }
        }
        .flatMap {
            self.writer.perform { _ in
                try self.during(round) { progress in
                    let next = progress.state.parts[part].next
                    guard let end else { return progress.state.finish(at: next) }
                    guard next == end else {
                        throw HTTPError(
                            code: .connectionLost, reason: "the body ended before its length")
                    }
                }
            }
        }
    }

    /// Writes the record: at once after 8 MiB, and otherwise within a second.
    private func saveSoon(_ file: OpenFile, _ received: Int64) throws {
        if received >= progress.withLock({ $0.saved }) + 8 << 20 { return try save(file) }
        let isDue = progress.withLock { progress in
            defer { progress.isDue = true }
            return progress.isDue
        }
        if isDue { return }
        Future<Void>(value: ()).delay(.seconds(1), on: scheduler)
            .flatMap { [writer] in
                writer.perform { [weak self] file in
                    self?.progress.withLock { $0.isDue = false }
                    try self?.save(file)
                }
            }
            .observe { _ in }
    }

    /// Syncs the file before it writes the record, so that the record never promises more than the disk holds.
    private func save(_ file: OpenFile) throws {
        let state = progress.withLock { progress in
            progress.saved = progress.state.received
            return progress.state
        }
        guard state.validator != nil else { return }
        try file.sync()
        try folder.replace(record, with: state.encoded, by: record + "-new", at: Self.now)
    }

    /// Nanoseconds since 1970.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1e9) }

    /// Writes the record and unlocks the file; removes the file if its bytes are of no use.
    func suspend() -> Future<Void> {
        writer.suspend { file in
            let (isOpen, state) = self.progress.withLock { progress in
                progress.round += 1
                return (progress.isOpen, progress.state)
            }
            guard isOpen else {
                // The record stays, because it wasn't read. The file is this download's own: it has the lock.
                if (try? file.size()) == 0 { try? self.folder.remove(file.url.lastPathComponent) }
                return
            }
            if state.validator == nil || state.received == 0 {
                self.remove(file)
            } else {
                try? self.save(file)
            }
        }
    }

    func remove(_ file: OpenFile) {
        try? folder.remove(file.url.lastPathComponent)
        try? folder.remove(record)
    }
}

extension ResumableDownload.Progress {
    /// Nil if the round is over.
    fileprivate func headers(of part: Int, _ round: Int) -> HTTPHeaders? {
        self.round == round ? state.headers(of: part) : nil
    }
}
