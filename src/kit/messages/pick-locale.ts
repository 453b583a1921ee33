/** RFC 4647, section 3.4: drops subtags until one matches. A bare language also matches a regional variant. */
export function pickLocale(wanted: readonly string[], available: readonly string[], hidden: readonly string[]) {
  for (const tag of wanted) {
    const found = lookUp(tag, available, hidden)
    if (found !== undefined) return found
  }
  return undefined
}

/** `hidden` locales match by their whole tag only. */
function lookUp(tag: string, available: readonly string[], hidden: readonly string[]): string | undefined {
  const subtags = tag.toLowerCase().split('-')
  const whole = [...available, ...hidden].find((each) => each.toLowerCase() === subtags.join('-'))
  if (whole !== undefined) return whole
  for (let length = subtags.length - 1; length > 0; length--) {
    const shorter = subtags.slice(0, length).join('-')
    const found = available.find((each) => each.toLowerCase() === shorter)
    if (found !== undefined) return found
  }
  return available.find((each) => each.split('-')[0] === subtags[0])
}
