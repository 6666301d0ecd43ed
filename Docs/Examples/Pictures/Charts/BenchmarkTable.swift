import Foundation
import PledgeSimulation

/// The table of Docs/Guides/Performance.md, between its two marks.
struct BenchmarkTable {
    /// A case: the way that others are compared with, and the others.
    struct Case {
        let name: String
        /// The first way and its time, as the table writes it.
        let base: String
        let time: String
        /// The other ways, with how many times as long as the first each takes.
        var others: [(way: String, factor: Double)] = []
    }

    private(set) var cases: [Case] = []

    init(page: String) {
        let table = page.split(separator: "<!-- benchmarks: begin -->").last ?? ""
        for line in table.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 9, cells[1] != "case", cells[1] != "---" else { continue }
            if let ratio = Double(cells[7]), ratio > 0, !cases.isEmpty {
                cases[cases.count - 1].others.append((cells[2], 1 / ratio))
            } else {
                cases.append(Case(name: cells[1], base: cells[2], time: Self.time(cells[3])))
            }
        }
    }

    /// A number of nanoseconds in the unit in which it is short.
    static func time(_ cell: String) -> String {
        let nanoseconds = Double(cell.replacing(",", with: "")) ?? 0
        return switch nanoseconds {
        case ..<1_000: "\(nanoseconds.pixels) ns"
        case ..<1_000_000: "\((nanoseconds / 1_000).pixels) µs"
        default: "\((nanoseconds / 1_000_000).pixels) ms"
        }
    }
}
