extension RecordedCall {
    /// The style of a waterfall.
    ///
    /// Every colour repeats the meaning of a character or a word, so nothing is lost without colours.
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
