import Pledge
import TestSupport
import Testing

/// The section Policies of Docs/Guides/CheatSheet.md has the defaults of the code.
@Suite(.oneAtATime) struct CheatSheetPoliciesTests {
    private let sheet: CheatSheet

    init() throws { sheet = try CheatSheet(section: "Policies") }

    /// The defaults that the sheet leaves out.
    private let common: Set = [
        "on: .live", "random: .system", "classifier: .standard", "named: nil", "budget: nil",
        "sharing: nil",
    ]

    /// The policies' functions and initialisers.
    private func declarations() throws -> [Declaration] {
        try ["Sources/Services/Policies/", "Sources/Admission/", "Sources/Traffic/Policies/"]
            .flatMap(CheatSheet.declarations)
    }

    @Test func policies() throws {
        let declared = CheatSheet.defaults(of: try declarations(), without: common)
        let shown = CheatSheet.defaults(shownIn: sheet.tables[0])
        for (name, defaults) in shown {
            #expect(declared[name] == defaults, "\(name)")
        }
        let missing = declared.filter { !$0.value.isEmpty && shown[$0.key] == nil }
        #expect(missing == [:])
    }

    @Test func everyMiddlewareIsListed() throws {
        let declared = try declarations().filter { $0.type == "Middleware" }.map(\.name)
        let shown = CheatSheet.defaults(shownIn: sheet.tables[0]).keys
        #expect(declared.count > 10)
        #expect(Set(declared).subtracting(shown) == [])
    }

    @Test func slots() throws {
        let all = CheatSheet.defaults(
            of: try CheatSheet.declarations(in: "Sources/HTTPClients/Slots/"),
            without: ["sharing: nil", "on: .live"])
        var declared: [String: Set<String>] = [:]
        for (name, defaults) in all where !defaults.isEmpty {
            let isTopLevel = name.hasPrefix("HTTPClient.") || name.hasPrefix("OriginPolicy.")
            let shown = isTopLevel ? name : "HTTPClient.\(name)"
            declared[shown, default: []].formUnion(defaults)
        }
        #expect(CheatSheet.defaults(shownIn: sheet.tables[1]) == declared)
    }

    @Test func aClientsOwnDefaults() {
        let client = HTTPClient(base: nil) { _ in Future(value: HTTPResponse(status: 200)) }
        let seconds = client.attemptTimeout.map { "\($0.components.seconds) s" }
        let limit = client.decompressionLimit.map { "\($0 >> 20) MiB" }
        let defaults = [
            "userAgent": "`\(client.userAgent ?? "none")`",
            "attemptTimeout": seconds ?? "none",
            "deadline": client.deadline.map { "\($0.components.seconds) s" } ?? "none",
            "decompressionLimit": limit ?? "none",
            "sendsIdempotencyKeys": "\(client.sendsIdempotencyKeys)",
        ]
        let table = sheet.tables[2]
        let slots = table["Slot"].flatMap(MarkdownTable.code)
        #expect(Dictionary(uniqueKeysWithValues: zip(slots, table["Default"])) == defaults)
        #expect(client.retry != nil && client.redirects != nil)
        #expect(client.circuitBreaker != nil && client.bulkhead != nil)
        #expect(client.hedge == nil && client.rateLimit == nil)
        #expect(client.log == nil)
    }
}
