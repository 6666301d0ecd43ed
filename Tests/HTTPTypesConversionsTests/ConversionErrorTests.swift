#if HTTPTypes
import PledgeHTTPTypesConversions
import Testing

struct ConversionErrorTests {
    @Test(arguments: [
        (ConversionError.invalidFieldName("a\n"), "invalidFieldName", "set by the request"),
        (.invalidFieldValue(name: "X"), "invalidFieldValue", "take them out"),
        (.tooManyFields(70_000), "tooManyFields", "leave some out"),
        (.invalidMethod("A B"), "invalidMethod", "a method is made of"),
        (.invalidURL, "invalidURL", "the scheme is http or https"),
        (.userInfoInURL, "userInfoInURL", "send an Authorization field"),
        (.hostDiffers, "hostDiffers", "put its host into the URL"),
        (.notForAResource(method: "CONNECT"), "notForAResource", "CONNECT"),
        (.invalidStatus(1000), "invalidStatus", "0...999"),
    ])
    func saysWhatToDo(_ error: ConversionError, _ code: String, _ advice: String) {
        #expect(error.loggedCode == code)
        #expect(error.description.contains(advice))
        #expect(!error.description.contains("\n"))
    }
}
#endif
