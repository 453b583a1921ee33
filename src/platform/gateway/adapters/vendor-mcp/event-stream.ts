// Server-sent events (WHATWG HTML, section 9.2.6), as their bytes arrive.

export type ServerEvent = { name: string; data: string; id: string | undefined }

type Listener = { onEvent(event: ServerEvent): void; onRetry(ms: number): void }

/** Takes the pieces of a stream in their order. An event is told once the empty line after it has arrived. */
export function eventReader({ onEvent, onRetry }: Listener): (piece: Uint8Array) => void {
  const utf8 = new TextDecoder()
  let line = ''
  let endsInReturn = false
  let data: string[] = []
  let name = ''
  let id: string | undefined

  const dispatch = () => {
    if (data.length > 0 || id !== undefined) onEvent({ name, data: data.join('\n'), id })
    data = []
    name = ''
    id = undefined
  }
  const take = (text: string) => {
    if (text === '') return dispatch()
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) onRetry(Number(value))
  }
  return (piece) => {
    let text = utf8.decode(piece, { stream: true })
    // A return and the line feed that belongs to it may come in two pieces.
    if (endsInReturn && text.startsWith('\n')) text = text.slice(1)
    else if (text === '') return
    endsInReturn = text.endsWith('\r')
    const [rest = '', ...lines] = text.split(/\r\n|\n|\r/)
    line += rest
    for (const next of lines) {
      take(line)
      line = next
    }
  }
}
