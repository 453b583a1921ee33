// A form as the user sees it: field values and error messages.

type ShownForm = {
  /** Values by field. Unticked boxes are absent. */
  holds: Record<string, string>
  /** Error messages by field, as a screen reader finds them. */
  faults: Record<string, string>
  isFolded: boolean
}

export function shownForm(html: string, action: string): ShownForm {
  const start = html.indexOf(`action="${action}"`)
  if (start < 0) throw new Error(`the page has no form for ${action}`)
  const form = html.slice(html.lastIndexOf('<form', start), html.indexOf('</form>', start))
  return {
    holds: Object.fromEntries([...inputsIn(form), ...textsIn(form), ...choicesIn(form)]),
    faults: Object.fromEntries(
      [...form.matchAll(/<(?:input|select|textarea)\b[^>]*aria-invalid="true"[^>]*>/g)].map(([tag]) => [
        attribute(tag, 'name'),
        textOf(form, attribute(tag, 'aria-describedby') ?? ''),
      ]),
    ),
    isFolded: isFolded(html.slice(0, start)),
  }
}

export const refusalIn = (html: string) => {
  const [, refusal = ''] =
    /<div class="notice"[^>]* role="alert"[^>]* autofocus[^>]*>([\s\S]*?)<\/div>/.exec(html) ?? []
  const links = [...refusal.matchAll(/<a href="#([^"]+)">([^<]+)</g)].map(([, id = '', text = '']) => ({
    text: unescaped(text),
    leadsTo: attribute(new RegExp(`<[^>]* id="${id}"[^>]*>`).exec(html)?.[0] ?? '', 'name'),
  }))
  return { text: unescaped(refusal.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')), links }
}

type FieldValue = [name: string, value: string]

const inputsIn = (form: string): FieldValue[] =>
  [...form.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]): FieldValue[] => {
    const isBox = attribute(tag, 'type') === 'checkbox'
    if (attribute(tag, 'type') === 'hidden' || (isBox && !/ checked\b/.test(tag))) return []
    return [[attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '']]
  })

const textsIn = (form: string): FieldValue[] =>
  [...form.matchAll(/<textarea name="([^"]+)"[^>]*>([^<]*)</g)].map(([, name = '', text = '']) => [
    name,
    unescaped(text),
  ])

const choicesIn = (form: string): FieldValue[] =>
  [...form.matchAll(/<select name="([^"]+)"[\s\S]*?<\/select>/g)].map(([choice, name = '']) => {
    const options = [...choice.matchAll(/<option[^>]*>/g)].map(([option]) => option)
    return [name, attribute(options.find((option) => / selected\b/.test(option)) ?? options[0] ?? '', 'value') ?? '']
  })

const textOf = (html: string, id: string): string => unescaped(new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1] ?? '')

function isFolded(before: string): boolean {
  const open = [...before.matchAll(/<details class="action-box"( open)?>|<\/details>/g)].at(-1)
  return open !== undefined && open[0] !== '</details>' && open[1] === undefined
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : unescaped(value)
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
