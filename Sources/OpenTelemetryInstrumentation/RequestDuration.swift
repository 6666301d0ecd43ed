#if Observability
import Metrics

/// The metric `http.client.request.duration`: the duration of requests, in seconds.
///
/// The middleware `openTelemetry` records it with the dimensions `http.request.method`, `server.address` and
/// `server.port`, and if they are known, `http.response.status_code`, `error.type` and `network.protocol.version`.
/// Each server that you call adds its own time series.
///
/// It is an aggregating `Recorder`, not a `Timer`, because a `Timer` counts nanoseconds, and each backend chooses the
/// unit in which it shows them. swift-metrics has no parameter for a histogram's boundaries, so configure your backend
/// to use ``boundaries`` for this metric.
public enum RequestDuration {
    /// The name of the metric.
    public static let label = "http.client.request.duration"

    /// The boundaries that OpenTelemetry recommends for the histogram, in seconds.
    public static let boundaries = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]

    static func record(
        _ duration: Duration, _ dimensions: [(String, String)], by factory: (any MetricsFactory)?
    ) {
        let recorder = Recorder(
            label: label, dimensions: dimensions, aggregate: true,
            factory: factory ?? MetricsSystem.factory)
        recorder.record(duration / .seconds(1))
    }
}
#endif
