@_exported public import Pledge
@_exported public import PledgeStores
