// Defines both elements in browsers. No-op on servers, where frameworks render first.
import { CausewayConnect } from './connect-element.ts'
import { CausewayConnected } from './connected-element.ts'

if (globalThis.customElements) {
  customElements.get('causeway-connect') ?? customElements.define('causeway-connect', CausewayConnect)
  customElements.get('causeway-connected') ?? customElements.define('causeway-connected', CausewayConnected)
}

export type { ConnectResult } from './channel.ts'
export { CausewayConnect, CausewayConnected }
