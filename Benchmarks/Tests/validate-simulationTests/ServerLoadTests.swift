import Testing

@testable import validate_simulation

@Suite struct ServerLoadTests {
    @Test func theRateKeepsTheWorkersBusyAsTheUtilisationSays() {
        let load = ServerLoad(
            name: "load", workers: 8, serviceTimes: .uniform(0.02, 0.06), utilisation: 0.5,
            duration: 1
        ) { _ in }
        #expect(abs(load.rate - 100) < 1e-9)
    }

    @Test func theLoadsHaveNamesOfTheirOwn() {
        #expect(Set(ServerLoad.all.map(\.name)).count == ServerLoad.all.count)
    }
}
