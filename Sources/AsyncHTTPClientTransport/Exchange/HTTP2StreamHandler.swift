#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// Sits between a stream of HTTP/2 and AsyncHTTPClient: says which requests the server has excluded, and
/// holds back the end of an answer that arrives before all of the request has been sent.
///
/// AsyncHTTPClient 1.37 releases the request at the answer's end, and ends the process if the stream fails
/// afterwards, as with nginx, which resets it (issue 922 of AsyncHTTPClient).
final class HTTP2StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let connection: HTTP2ConnectionHandler
    /// Whether the end of the request has been sent.
    private var isSent = false
    /// The status of the answer; nil until its head has arrived.
    private var status: UInt?
    /// How many bytes of the answer's body have arrived.
    private var bodySize = 0
    /// The end of the answer, held back until the end of the request has been sent.
    private var earlyEnd: HTTPClientResponsePart?

    private init(_ connection: HTTP2ConnectionHandler) { self.connection = connection }

    /// Adds a handler to each stream of a client, and one to each connection.
    static func install(on configuration: inout HTTPClient.Configuration) {
        let next = configuration.http2ConnectionDebugInitializer
        configuration.http2ConnectionDebugInitializer = { channel in
            do {
                try HTTP2ConnectionHandler.install(on: channel)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return next?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                guard let parent = channel.parent?.pipeline.syncOperations else { return }
                let connection = try parent.handler(type: HTTP2ConnectionHandler.self)
                try pipeline.addHandler(HTTP2StreamHandler(connection), position: .after(codec))
            }
        }
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        if case .end = unwrapOutboundIn(data) { isSent = true }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isSent, let end = earlyEnd.take() else { return }
        context.fireChannelRead(wrapInboundOut(end))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            let code = head.status.code
            if code >= 200 || code == 101 { status = code }
        case .body(let bytes): bodySize += bytes.readableBytes
        case .end where isSent: break
        case .end where status ?? 0 >= 300:
            context.fireChannelRead(data)
            // AsyncHTTPClient sends no more of the request, and would leave the stream open.
            return context.close(promise: nil)
        case .end:
            earlyEnd = part
            return
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let end = earlyEnd.take() {
            if isSent { return context.fireChannelRead(wrapInboundOut(end)) }
            context.fireErrorCaught(AnsweredEarly(bodySize: bodySize, cause: error))
        } else if status == nil, let reason = exclusion(by: error) {
            context.fireErrorCaught(UnprocessedRequest(cause: error, reason: reason))
        } else {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if earlyEnd != nil {
            errorCaught(context: context, error: HTTPClientError.remoteConnectionClosed)
        }
        context.fireChannelInactive()
    }

    /// Why the server has not processed the stream's request; nil if it may have.
    private func exclusion(by error: any Error) -> UnprocessedRequest.Reason? {
        switch error {
        case let error as NIOHTTP2Errors.StreamError: return exclusion(by: error.baseError)
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: return .leaving
        case let error as NIOHTTP2Errors.StreamClosed:
            // SwiftNIO reports these streams as cancelled by the server.
            if let last = connection.last, error.streamID > last { return .leaving }
            let codes: [HTTP2ErrorCode] = [.refusedStream, .http11Required]
            return codes.contains(error.errorCode) ? .refused : nil
        default: return nil
        }
    }
}

/// The end of a stream whose answer is whole, although the request is not.
struct AnsweredEarly: Error {
    /// How many bytes the answer's body has.
    let bodySize: Int
    let cause: any Error
}
#endif
