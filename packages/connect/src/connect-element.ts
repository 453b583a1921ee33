import { type ConnectResult, openChannel, resultIn } from './channel.ts'
import { ElementBase } from './element-base.ts'
import { makeStyles } from './styles.ts'

/** Of a link that has not ended it is not known yet whether it will be linked. */
function eventFor(status: string): 'linked' | 'pending' | 'failed' {
  if (status === 'linked') return 'linked'
  return status === 'pending' || status === 'needs_attention' ? 'pending' : 'failed'
}

/** How long a result may take after the user came back to this page, before it counts as given up. */
const closedAfterMs = 1_500

/**
 * A button that sends its user to an address of your own, `action`, which begins a link and redirects to Causeway:
 * `<causeway-connect action="/connect/gmail">Connect Gmail</causeway-connect>`. The whole page goes there, or, with
 * `mode="popup"`, a window of its own. Fields inside the element, such as a token against forgery, are sent along.
 *
 * Events, of a popup alone: `linked`, `pending`, `failed` with a ConnectResult in `detail`, and `closed`.
 */
export class CausewayConnect extends ElementBase {
  static readonly observedAttributes = ['action', 'disabled']

  readonly #form = document.createElement('form')
  readonly #button = document.createElement('button')
  #channel: BroadcastChannel | undefined

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    root.adoptedStyleSheets = [makeStyles()]
    this.#form.method = 'post'
    this.#button.part.add('button')
    this.#button.append(document.createElement('slot'))
    this.#form.append(this.#button)
    this.#form.addEventListener('submit', (event) => this.#begin(event))
    this.#form.addEventListener('formdata', ({ formData }) => this.#addFields(formData))
    root.append(this.#form)
  }

  attributeChangedCallback(): void {
    this.#form.action = this.getAttribute('action') ?? ''
    this.#button.disabled = this.hasAttribute('disabled')
  }

  connectedCallback(): void {
    const leaked = [...this.attributes].find(({ value }) => /^(cwk|whsec)_/.test(value))
    // A secret in a page is published; the button must not look as if that were all right.
    if (leaked) throw new Error(`${leaked.name}: a secret in a page is public. Take it out, and replace the secret.`)
  }

  disconnectedCallback(): void {
    this.#stopWaiting()
  }

  #begin(event: SubmitEvent): void {
    if (!this.getAttribute('action')) {
      event.preventDefault()
      return
    }
    this.#form.target = ''
    if (this.getAttribute('mode') !== 'popup') return
    const name = `causeway-${Date.now()}`
    // Opened in the click itself, or browsers block it; where they do all the same, the whole page goes.
    if (!window.open('', name, 'popup,width=520,height=720')) return
    this.#form.target = name
    this.#waitForResult()
  }

  #addFields(formData: FormData): void {
    for (const field of this.querySelectorAll<HTMLInputElement>('input[name]')) formData.append(field.name, field.value)
  }

  #waitForResult(): void {
    this.#stopWaiting()
    this.#channel = openChannel()
    this.#channel.addEventListener('message', ({ data }) => this.#finish(resultIn(data)))
    window.addEventListener('focus', this.#whenBack)
    this.#button.ariaBusy = 'true'
  }

  #finish(result: ConnectResult | undefined): void {
    if (!result) return
    this.#stopWaiting()
    this.#tell(eventFor(result.status), result)
  }

  readonly #whenBack = (): void => {
    const waitedOn = this.#channel
    setTimeout(() => {
      if (!waitedOn || this.#channel !== waitedOn || !document.hasFocus()) return
      window.removeEventListener('focus', this.#whenBack)
      this.#button.ariaBusy = null
      // A result that comes later still counts: the window may only be behind this one.
      this.#tell('closed')
    }, closedAfterMs)
  }

  #stopWaiting(): void {
    this.#channel?.close()
    this.#channel = undefined
    window.removeEventListener('focus', this.#whenBack)
    this.#button.ariaBusy = null
  }

  #tell(name: string, detail?: ConnectResult): void {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }))
  }
}
