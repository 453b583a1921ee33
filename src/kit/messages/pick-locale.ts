/**
 * The first of the wanted languages that there is, as RFC 4647 §3.4 looks them up: subtags are taken off from the end
 * until one fits. What is left over then is the language alone, which a regional variant of ours fits as well.
 */
export function pickLocale(wanted: readonly string[], available: readonly string[], hidden: readonly string[]) {
  for (const tag of wanted) {
    const found = lookUp(tag, available, hidden)
    if (found !== undefined) return found
  }
  return undefined
}

/** `hidden`: found by the whole tag only. */
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
