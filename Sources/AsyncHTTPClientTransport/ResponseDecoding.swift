#if AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PledgeHTTPMessages
import PledgeHTTPText

/// Decodes HTTP/1.1 heads as AsyncHTTPClient's settings can't.
struct ResponseDecoding {
    /// The most bytes of a head's fields.
    let maxHeadSize: Int

    /// Changes a new connection before its first use.
    func install(on channel: any Channel) -> EventLoopFuture<Void> {
        let pipeline = channel.pipeline.syncOperations
        guard
            let old = try? pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self),
            let encoder = try? pipeline.handler(type: HTTPRequestEncoder.self)
        else { return channel.eventLoop.makeSucceededVoidFuture() }
        let handlers = handlers()
        // No bytes can arrive between removing the old handler and adding the new ones.
        return pipeline.removeHandler(old).assumeIsolated().flatMapThrowing {
            try channel.pipeline.syncOperations.addHandlers(handlers, position: .after(encoder))
        }.nonisolated()
    }

    private func handlers() -> [any ChannelHandler] {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderListSize = maxHeadSize
        limits.maxHeaderFieldSize = maxHeadSize
        limits.maxHeaderFieldCount = max(limits.maxHeaderFieldCount, maxHeadSize / 32)
        let decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward,
            limitConfiguration: limits)
        let bytes = HeadBytesHandler(limit: 2 * maxHeadSize + 16_384)
        return [bytes, ByteToMessageHandler(decoder), FieldTextHandler(bytes)]
    }
}

/// Keeps a head's bytes until the head was parsed, and limits the unparsed ones.
///
/// NIO limits the fields of one head, but not a status line, the number of interim heads, or the line before a chunk.
final class HeadBytesHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: Int
    private var kept: [ByteBuffer] = []
    /// How many bytes have arrived since the last parsed part.
    private var unread = 0
    /// True if a head comes next.
    var isWanted = true {
        didSet {
            kept = []
            unread = 0
        }
    }

    init(limit: Int) { self.limit = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if isWanted { kept.append(bytes) }
        unread += bytes.readableBytes
        context.fireChannelRead(data)
        guard unread > limit else { return }
        kept = []
        context.fireErrorCaught(
            isWanted ? HTTPParserError.headerOverflow : HTTPParserError.invalidChunkSize)
    }

    /// Records that a piece of a body was parsed.
    func noteBody() { unread = 0 }

    /// The field values of the last head, in order.
    func fieldValues() -> [ArraySlice<UInt8>] {
        let bytes = kept.flatMap { Array($0.readableBytesView) }
        var values: [ArraySlice<UInt8>] = []
        var isAnswer = false
        for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
            let line = line.last == 13 ? line.dropLast() : line
            if line.starts(with: "HTTP/".utf8) {
                isAnswer = line.dropFirst(9).first != UInt8(ascii: "1")
                values = []
            } else if line.isEmpty, isAnswer {
                break
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                values.append(line[(colon + 1)...].trimmed)
            }
        }
        return values
    }
}

/// Restores values that aren't UTF-8, in which NIO has put replacement characters.
final class FieldTextHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let bytes: HeadBytesHandler

    init(_ bytes: HeadBytesHandler) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            // After an interim head comes another head.
            let isLast = head.status.code >= 200 || head.status.code == 101
            guard isLast else { break }
            defer { bytes.isWanted = false }
            guard head.headers.contains(where: { $0.value.hasReplacement }) else { break }
            head.headers = reread(head.headers)
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: bytes.noteBody()
        case .end: bytes.isWanted = true
        }
        context.fireChannelRead(data)
    }

    private func reread(_ headers: NIOHTTP1.HTTPHeaders) -> NIOHTTP1.HTTPHeaders {
        let values = bytes.fieldValues()
        guard values.count == headers.count else { return headers }
        return NIOHTTP1.HTTPHeaders(
            zip(headers, values).map { field, value in
                let text = PledgeHTTPMessages.HTTPHeaders.text(ofValue: value)
                return (field.name, field.value.hasReplacement ? text : field.value)
            })
    }
}

extension String {
    fileprivate var hasReplacement: Bool {
        utf8.contains(0xEF) && unicodeScalars.contains("\u{FFFD}")
    }
}
#endif
