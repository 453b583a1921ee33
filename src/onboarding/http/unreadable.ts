import type { Refusal, Unreadable } from '../../kit/http/unreadable.ts'

const words: Record<Unreadable['status'], [title: string, detail: string]> = {
  400: ['Bad Request', 'The request is malformed.'],
  408: ['Request Timeout', 'The request took too long to arrive.'],
  413: ['Content Too Large', 'The body is too large.'],
  415: ['Unsupported Media Type', 'The body must be in UTF-8.'],
  417: ['Expectation Failed', 'Only 100-continue may be expected.'],
  421: ['Misdirected Request', 'This server does not serve that host.'],
  431: ['Request Header Fields Too Large', 'The headers are too large.'],
}

/** RFC 9457, section 4.2.1: a problem with only a status. Pages get the sentence only. */
export function unreadableRefusal({ status, path = '/api', detail: known }: Unreadable): Refusal {
  const [title, usual] = words[status]
  const detail = known ?? usual
  if (!/^\/api(\/|\?|$)/.test(path)) return { type: 'text/plain; charset=utf-8', body: `${detail}\n` }
  return {
    type: 'application/problem+json',
    body: JSON.stringify({ type: 'about:blank', title, status, detail }),
  }
}
