import Foundation

// Runs a named scenario of the simulator, or lists them.
exit(Command.main(Array(CommandLine.arguments.dropFirst())))
