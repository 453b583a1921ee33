import { type ConnectResult, openChannel, resultIn } from './channel.ts'
import { ElementBase } from './element-base.ts'

function eventFor(status: string): 'linked' | 'pending' | 'failed' {
  if (status === 'linked') return 'linked'
  return status === 'pending' || status === 'needs_attention' ? 'pending' : 'failed'
}

/** Time for a result to arrive after this page gets the focus back. */
const closedAfterMs = 1_500

/**
 * A button that posts to your `action`, which starts a link and redirects to Causeway:
 * `<causeway-connect action="/connect/gmail">Connect Gmail</causeway-connect>`. Opens a popup with `mode="popup"`.
 * Includes the fields inside the element, such as a CSRF token. Shows content with `slot="waiting"` while the popup is open.
 *
 * Popup events: `linked`, `pending` and `failed` with a ConnectResult in `detail`, and `closed`.
 */
export class CausewayConnect extends ElementBase {
  static readonly observedAttributes = ['action', 'disabled']

  readonly #form = document.createElement('form')
  readonly #button = document.createElement('button')
  readonly #hint = document.createElement('slot')
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
    this.#hint.name = 'waiting'
    this.#hint.hidden = true
    const announced = document.createElement('div')
    announced.ariaLive = 'polite'
    announced.append(this.#hint)
    root.append(this.#form, announced)
  }

  attributeChangedCallback(): void {
    this.#form.action = this.getAttribute('action') ?? ''
    this.#button.disabled = this.hasAttribute('disabled')
  }

  connectedCallback(): void {
    const leaked = [...this.attributes].find(({ value }) => /^(cwk|whsec)_/.test(value))
    if (leaked) throw new Error(`${leaked.name}: a secret in a page is public. Remove it and replace the secret.`)
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
    // Browsers block popups outside of a click handler. If this one is blocked too, the whole page navigates.
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
    this.#showWaiting(true)
  }

  #showWaiting(isWaiting: boolean): void {
    this.#button.ariaBusy = isWaiting ? 'true' : null
    this.#hint.hidden = !isWaiting
  }

  #finish(result: ConnectResult | undefined): void {
    if (!result) return
    this.#stopWaiting()
    this.#dispatch(eventFor(result.status), result)
  }

  readonly #whenBack = (): void => {
    const waitedOn = this.#channel
    setTimeout(() => {
      if (!waitedOn || this.#channel !== waitedOn || !document.hasFocus()) return
      window.removeEventListener('focus', this.#whenBack)
      this.#showWaiting(false)
      // A later result still counts, because the popup may be behind this window.
      this.#dispatch('closed')
    }, closedAfterMs)
  }

  #stopWaiting(): void {
    this.#channel?.close()
    this.#channel = undefined
    window.removeEventListener('focus', this.#whenBack)
    this.#showWaiting(false)
  }

  #dispatch(name: string, detail?: ConnectResult): void {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }))
  }
}

/** A constructed style sheet needs no `style-src` in the page's CSP. */
function makeStyles(): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`
    :host { display: inline-block }
    :host([hidden]) { display: none }
    form { margin: 0 }
    button {
      font: var(--causeway-connect-font, inherit);
      color: var(--causeway-connect-color, #fff);
      background: var(--causeway-connect-background, #1f5fbf);
      border: var(--causeway-connect-border, 0);
      border-radius: var(--causeway-connect-radius, .375rem);
      padding: var(--causeway-connect-padding, .625rem 1rem);
      min-height: 2.75rem;
      cursor: pointer;
    }
    button:disabled { opacity: .6; cursor: default }
    button[aria-busy=true]::after {
      content: '';
      display: inline-block;
      box-sizing: border-box;
      width: .875em;
      height: .875em;
      margin-inline-start: .5em;
      vertical-align: -.0625em;
      border: .125em solid;
      border-inline-end-color: transparent;
      border-radius: 50%;
      animation: turn 1s linear infinite;
    }
    @keyframes turn { to { transform: rotate(1turn) } }
    @media (prefers-reduced-motion: reduce) { button[aria-busy=true]::after { animation: none } }
    slot[name=waiting] { display: block; margin-top: .5rem }
    slot[hidden] { display: none !important }
    button:focus-visible { outline: 3px solid var(--causeway-connect-focus, #ffbf47); outline-offset: 2px }
  `)
  return sheet
}
