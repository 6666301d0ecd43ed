import CPledgeCurl
import PledgeFutures
import PledgeHTTPNetworking

extension CurlLoop {
    /// Begins an exchange.
    func start(_ exchange: TransportExchange, _ handle: EasyHandle) {
        let transfer = Transfer(exchange, handle, self)
        transfers[ObjectIdentifier(exchange)] = transfer
        // A body is opened first: if that fails, nothing is sent.
        if handle.readsBody { transfer.openUpload() } else { enter(transfer) }
    }

    /// Continues to send a request whose body has more bytes.
    func resumeSending(_ transfer: Transfer) {
        if transfer.isAdded { return transfer.handle.resume() }
        if let error = transfer.upload?.failure {
            end(transfer.exchange, with: transfer.exchange.unreadable(error))
        } else if transfer.laneTicket == nil {
            enter(transfer)
        }
    }

    /// The transfer of an exchange; nil if it has ended.
    func transfer(of exchange: TransportExchange) -> Transfer? {
        transfers[ObjectIdentifier(exchange)]
    }

    /// Gives a transfer to libcurl, now or when it has a lane.
    private func enter(_ transfer: Transfer) {
        starters.append(transfer)
        if lanes.enter(transfer) { add(transfer) }
    }

    private func add(_ transfer: Transfer) {
        transfer.isAdded = true
        guard ccurl_multi_add(multi, transfer.handle.easy) == 0 else {
            let exchange = transfer.exchange
            return end(exchange, with: exchange.failure(.other, reason: "there is no memory"))
        }
    }

    /// Ends an exchange before its response is complete; harmless if it has ended.
    func end(_ exchange: TransportExchange, with error: any Error) {
        guard let transfer = transfer(of: exchange) else { return }
        remove(transfer)
        finish(transfer, .failure(error))
    }

    /// Processes the transfers that have ended in libcurl.
    func finishEnded() {
        var code: Int32 = 0
        while let easy = ccurl_multi_next_ended(multi, &code) {
            let transfer = Transfer.at(ccurl_context(easy))
            transfer.repeatIfConnectionWasLost(code)
            let result = transfer.result(code)
            kept.note(easy)
            if transfer.isToBeRepeated {
                takeBack(transfer)
                transfer.restart()
                add(transfer)
            } else {
                remove(transfer)
                finish(transfer, result)
            }
        }
    }

    private func remove(_ transfer: Transfer) {
        transfers[ObjectIdentifier(transfer.exchange)] = nil
        guard transfer.isEntered else { return }
        takeBack(transfer)
        if let next = lanes.leave(transfer), !isClosed { add(next) }
    }

    /// Takes a transfer back from libcurl.
    private func takeBack(_ transfer: Transfer) {
        guard transfer.isAdded else { return }
        transfer.isAdded = false
        // libcurl closes the connection if an answer is still expected on it.
        _ = ccurl_multi_remove(multi, transfer.handle.easy)
    }

    func finish(_ transfer: Transfer, _ result: Result<Void, any Error>) {
        transfer.upload?.cancel()
        flush(transfer)
        let handle = transfer.handle
        let deliver: TransportExchange.Delivery = { [self] job in
            let handles = engine.handles
            results.append(
                ResultDelivery.Job {
                    job()
                    handles.giveBack(handle)
                })
        }
        switch result {
        case .success: transfer.exchange.finish(delivering: deliver)
        case .failure(let error): transfer.exchange.fail(with: error, delivering: deliver)
        }
    }

    /// Delivers the bytes of bodies that arrived in this turn.
    func handOutBodies() {
        // A transfer that continues to receive is added again.
        var index = 0
        while index < receivers.count {
            let transfer = receivers[index]
            flush(transfer)
            transfer.endReceiving()
            index += 1
        }
        receivers.removeAll(keepingCapacity: true)
    }

    private func flush(_ transfer: Transfer) {
        let bytes = transfer.takeUnread()
        if bytes.isEmpty { return }
        let exchange = transfer.exchange
        transfer.isFull = !exchange.pass(bytes) { [engine] in engine.submit(.receive(exchange)) }
    }

    /// Watches the exchanges that still wait for a connection.
    func noteWaiting() {
        // A transfer that has ended in the turn in which it began does not wait, and its watch would not be
        // stopped.
        for transfer in starters where transfer.isEntered && !transfer.hasConnection {
            transfer.exchange.waitForConnection()
        }
        starters.removeAll(keepingCapacity: true)
    }
}
