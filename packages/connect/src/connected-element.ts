import { openChannel } from './channel.ts'
import { ElementBase } from './element-base.ts'

/**
 * For your return page: reports the result to the page with the button and closes the popup.
 * `<causeway-connected status="linked">You can close this window.</causeway-connected>`
 */
export class CausewayConnected extends ElementBase {
  connectedCallback(): void {
    const status = this.getAttribute('status')
    if (!status) return
    const causeCode = this.getAttribute('cause-code')
    const channel = openChannel()
    channel.postMessage({ status, ...(causeCode && { causeCode }) })
    channel.close()
    // No-op in a tab that the user opened. The user then reads the content of the element.
    window.close()
  }
}
