/** A sheet made by script needs no `style-src` of the page's policy. */
export function makeStyles(): CSSStyleSheet {
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
    button[aria-busy=true] { opacity: .8; cursor: progress }
    button:focus-visible { outline: 3px solid var(--causeway-connect-focus, #ffbf47); outline-offset: 2px }
  `)
  return sheet
}
