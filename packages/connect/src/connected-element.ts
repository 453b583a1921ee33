import { openChannel } from './channel.ts'
import { ElementBase } from './element-base.ts'

/**
 * For your return page: tells the page with the button what became of the link, and closes the popup it is in.
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
    // Does nothing in a tab that the user opened; what stands in the element is read then.
    window.close()
  }
}
