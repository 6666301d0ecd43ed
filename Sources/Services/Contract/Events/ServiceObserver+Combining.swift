extension ServiceObserver {
    /// Makes one observer from several.
    ///
    /// ```swift
    /// let observer = ServiceObserver(combining: [metrics.observer, recorder.observer])
    /// ```
    ///
    /// - Parameter observers: The observers, which are notified of each event in this order, on the thread
    ///   where it happened.
    public init(combining observers: [ServiceObserver]) {
        self.init { event in for observer in observers { observer.receive(event) } }
    }
}
