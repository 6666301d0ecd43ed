import Foundation

@testable import simulate

extension ScenarioSettings {
    /// The short form, or the whole one where PLEDGE_SIMULATIONS asks for it; that needs a release build.
    static let ofTests = ScenarioSettings(
        isShort: ProcessInfo.processInfo.environment["PLEDGE_SIMULATIONS"] != "whole")
}
