extension RecordedCall {
    /// How a waterfall is written.
    ///
    /// Every colour repeats what a character or a word says, so nothing is lost without them.
    public enum WaterfallStyle: Sendable {
        /// As plain text: for files, logs and comparisons.
        case plain
        /// With the colours of a terminal around bars, outcomes and facts, as escape sequences. (ECMA-48,
        /// "Select Graphic Rendition".)
        ///
        /// Without its escape sequences it is the plain text.
        case ansi
    }
}
