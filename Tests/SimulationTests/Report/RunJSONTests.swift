import Foundation
import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

@Suite(.oneAtATime) struct RunJSONTests {
    private static let small = """
        {
          "warning": null,
          "escapedActions": 0,
          "seed": "7",
          "settings": {"duration":4,"arrivals":"at equal distances, 10 a second","hosts":2,\
        "balancing":"roundRobin"},
          "calls": 39,
          "unfinishedCalls": 0,
          "events": 85,
          "endTime": 5.8,
          "goodput": 0.794871795,
          "amplification": 1,
          "latency": {"p50":0.01,"p90":0.01,"p99":1.8,"p99.9":1.8},
          "failures": [
            {"kind":"ServiceError.timedOut","count":8}
          ],
          "changes": [
            {"time":2,"name":"host 1 slow"}
          ],
          "seconds": {"offered":[9,10,10,10],"succeeded":[9,10,7,5],"failed":[0,0,3,5],\
        "sent":[9,10,10,10],"p50":[0.01,0.01,0.01,0.01],"p90":[0.01,0.01,1.8,0.01],\
        "p99":[0.01,0.01,1.8,0.01],"p99.9":[0.01,0.01,1.8,0.01]},
          "policies": [],
          "gauges": [
            {"name":"retry budget","firstSecond":0,"values":[10,10,10,10,10]}
          ],
          "hosts": [
            {"number":0,"workers":1,"queueLimit":null,"queueOrder":"firstInFirstOut",\
        "meanServiceTime":0.01,"failureRate":0,"lossRate":0,"received":20,"refused":0,"finished":20,\
        "wasted":0,"meanCalls":0.034482759,"meanTime":0.01},
            {"number":1,"workers":1,"queueLimit":null,"queueOrder":"firstInFirstOut",\
        "meanServiceTime":0.01,"failureRate":0,"lossRate":0,"received":19,"refused":0,"finished":12,\
        "wasted":1,"meanCalls":4.084482759,"meanTime":0.4575}
          ]
        }

        """

    @Test func aSmallRun() {
        #expect(ReportedRuns.small().json() == Self.small)
    }

    @Test func anotherReaderReadsIt() throws {
        let run = ReportedRuns.busy()
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(run.json().utf8)) as? [String: Any])
        #expect(json["warning"] is NSNull)
        #expect(json["seed"] as? String == "3")
        #expect(json["calls"] as? Int == run.callCount)
        #expect((json["failures"] as? [Any])?.count == run.failures.count)
        let seconds = try #require(json["seconds"] as? [String: [Any]])
        #expect(seconds.values.allSatisfy { $0.count == 30 })
        #expect((seconds["offered"] as? [Int])?.reduce(0, +) == run.callCount)
        let changes = try #require(json["changes"] as? [[String: Any]])
        #expect(changes.map { $0["name"] as? String } == run.changes.map(\.name))
        #expect((json["hosts"] as? [Any])?.count == 4)
    }

    @Test func aRunThatWorkHasLeftSaysSoFirst() {
        #expect(ReportedRuns.escaped().json().hasPrefix("{\n  \"warning\": \"INVALID: 9 actions "))
    }

    @Test func textsAreEscaped() throws {
        let text = "a \"b\" \\ \n \u{1} \u{1F} é 🙂"
        let line = JSONText.array([.text(text)]).line
        #expect(line == #"["a \"b\" \\ \n \u0001 \u001f é 🙂"]"#)
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String] == [text])
    }

    @Test func numbersThatJSONDoesNotHaveAreNull() {
        let numbers: [Double?] = [nil, .infinity, .nan, 0.1 + 0.2, 1e22]
        #expect(
            JSONText.array(numbers.map { .number($0) }).line == "[null,null,null,0.3,1e+22]")
    }
}
