import Bluebonnet

extension SessionConfiguration {
    /// The default configuration with an observer.
    init(observer: any TaskObserver) {
        self.init { $0.observers = [observer] }
    }
}
