import PledgeSimulation

extension NamedScenario {
    /// The harm that breakers of many small clients do to working shards.
    static let shardBreakers = NamedScenario(
        name: "shard-breakers",
        summary: "Breakers of 200 small clients refuse calls to the shards that work."
    ) { settings in
        let failing = settings.choose([0, 1, 2, 3, 4, 5], short: [0, 3])
        let rates = settings.choose([0.05, 0.1, 0.15, 0.2], short: [0.1])
        let clients = settings.choose([1, 20, 200, 2_000], short: [1, 200])
        settings.progress.begin(
            runs: failing.count * BreakerRule.all.count + rates.count * clients.count)
        var service = ShardedService()
        service.duration = settings.choose(600, short: 20)
        let found = shards(service, failing, settings)
        var byClients = Table(
            "Calls that the breaker of each client refuses, where each shard fails some calls",
            columns: ["calls that fail"] + clients.map { $0 == 1 ? "1 client" : "\($0) clients" })
        for rate in rates {
            service.failureRate = rate
            let shares = clients.map { count in
                service.clients = count
                return Cell.share(service.outcome(of: .ofEachClient, settings).refused)
            }
            byClients.add([.share(rate, digits: 0)] + shares)
        }
        let chart = chart(found.lines)
        return ScenarioResult(tables: found.tables + [byClients], picture: { chart.svg })
    }

    /// Returns the tables and lines, by the number of failing shards.
    private static func shards(
        _ service: ShardedService, _ failing: [Int], _ settings: ScenarioSettings
    ) -> (tables: [Table], lines: [Chart.Line]) {
        let columns = ["shards that fail"] + BreakerRule.all.map(\.name)
        var goodput = Table("Calls to the shards that work which succeed", columns: columns)
        var load = Table("Calls that reach the shards which fail, for each", columns: columns)
        var lines = BreakerRule.all.map { Chart.Line(name: $0.name, points: []) }
        for count in failing {
            var service = service
            service.failingShards = count
            let outcomes = BreakerRule.all.map { service.outcome(of: $0, settings) }
            goodput.add([.count(count)] + outcomes.map { .share($0.goodput) })
            if count > 0 {
                load.add([.count(count)] + outcomes.map { .number($0.load, digits: 2) })
            }
            for index in lines.indices {
                lines[index].points.append((Double(count), outcomes[index].goodput))
            }
        }
        return ([goodput, load], lines)
    }

    private static func chart(_ lines: [Chart.Line]) -> Chart {
        Chart(
            title: "Calls to the shards that work, by the breakers of 200 clients",
            description: "The share that succeeds, over the number of shards of ten that fail.",
            x: Chart.Axis(
                name: "shards of ten that fail", marks: (0...5).map { (Double($0), "\($0)") }),
            y: .shares("calls that succeed"), lines: lines)
    }
}
