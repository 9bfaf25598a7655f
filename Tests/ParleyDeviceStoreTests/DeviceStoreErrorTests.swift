import ParleyDeviceStore
import Testing

@Test("two databases in use are told apart")
func errorsNameTheirPath() {
    #expect(DeviceStoreError.inUse(path: "/a") != DeviceStoreError.inUse(path: "/b"))
}
