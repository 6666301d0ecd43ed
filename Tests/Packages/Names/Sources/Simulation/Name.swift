public let name = "Simulation"
