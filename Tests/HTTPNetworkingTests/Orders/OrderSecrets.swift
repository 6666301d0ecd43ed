import Foundation
import HTTPTestSupport
import PledgeFutures
import TestSupport

/// Texts that only their receivers may see.
final class OrderSecrets: Sendable {
    private struct Secret {
        let text: String
        let place: String
        /// The only host that it may be sent to; nil if the server decides.
        let host: String?
    }

    private struct State {
        var dice: SeededGenerator
        var secrets: [Secret] = []
    }

    /// The beginning of each secret, so that most texts are searched once.
    private static let beginning = "zq7"

    private let state: Locked<State>

    init(seed: UInt64) { state = Locked(State(dice: SeededGenerator(seed: seed))) }

    /// Makes a secret for a place.
    func plant(in place: String, for host: String? = nil) -> String {
        state.withLock { state in
            let letters = Array("abcdefghijklmnoprstuvwxy0123456789")
            let length = Int.random(in: 9...18, using: &state.dice)
            let rest = (0..<length).map { _ in letters.randomElement(using: &state.dice) ?? "a" }
            let text = Self.beginning + String(rest)
            state.secrets.append(Secret(text: text, place: place, host: host))
            return text
        }
    }

    /// The places of the secrets in a text.
    func places(in text: String) -> [String] {
        guard strstr(text, Self.beginning) != nil || strstr(text, "ZQ7") != nil else { return [] }
        let text = text.lowercased()
        return state.withLock { $0.secrets }.filter { text.contains($0.text) }.map(\.place)
    }

    /// The places of the secrets in a text that is sent to a host, if they are not for that host.
    func places(in text: String, notFor host: String) -> [String] {
        guard strstr(text, Self.beginning) != nil else { return [] }
        return state.withLock { $0.secrets }
            .filter { $0.host != nil && $0.host != host && text.contains($0.text) }.map(\.place)
    }
}
