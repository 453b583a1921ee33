'use client'
// The elements as React components, for React 18, which knows no events of custom elements, and for React 19.
import {
  createElement,
  type ForwardedRef,
  forwardRef,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react'
import type { CausewayConnect as CausewayConnectElement, ConnectResult } from './elements.ts'
import './elements.ts'

export type { ConnectResult } from './elements.ts'

export type CausewayConnectProps = Omit<HTMLAttributes<HTMLElement>, 'children' | 'onClick'> & {
  /** An address of your own, which begins a link and redirects to Causeway. */
  action: string
  /** Where that happens: the whole page, or a window of its own, which alone has events. */
  mode?: 'page' | 'popup' | undefined
  disabled?: boolean | undefined
  /** Sent along to `action`, such as a token against forgery. */
  fields?: Readonly<Record<string, string>> | undefined
  onLinked?: ((result: ConnectResult) => void) | undefined
  /** Not linked yet: it continues by itself, and your server is told how it ends. */
  onPending?: ((result: ConnectResult) => void) | undefined
  onFailed?: ((result: ConnectResult) => void) | undefined
  /** The user is back on this page without a result; one may still come. */
  onClosed?: (() => void) | undefined
  children?: ReactNode
}

/** A button that sends its user to link an account. A ref leads to the element. */
export const CausewayConnect = forwardRef(function CausewayConnect(
  props: CausewayConnectProps,
  ref: ForwardedRef<CausewayConnectElement>,
): ReactElement {
  const { mode, disabled, fields, className, children, onLinked, onPending, onFailed, onClosed, ...rest } = props
  const element = useRef<CausewayConnectElement>(null)
  useImperativeHandle(ref, () => element.current as CausewayConnectElement)
  useEvent(element, 'linked', ({ detail }) => onLinked?.(detail))
  useEvent(element, 'pending', ({ detail }) => onPending?.(detail))
  useEvent(element, 'failed', ({ detail }) => onFailed?.(detail))
  useEvent(element, 'closed', () => onClosed?.())
  const inputs = Object.entries(fields ?? {}).map(([name, value]) =>
    createElement('input', { key: name, type: 'hidden', name, value }),
  )
  // Of a custom element React 18 writes every value as an attribute, `false` as well.
  const attributes = { ...rest, mode, class: className, disabled: disabled ? '' : undefined, ref: element }
  return createElement('causeway-connect', attributes, children, ...inputs)
})

export type CausewayConnectedProps = Omit<HTMLAttributes<HTMLElement>, 'children'> & {
  /** The `status` of the link that `finish` returned. */
  status: string
  /** Its `cause.code`, if there is one. */
  causeCode?: string | undefined
  /** What stands in a window that does not close by itself. */
  children?: ReactNode
}

/** For the return page: tells the page with the button what became of the link, and closes the popup it is in. */
export const CausewayConnected = ({ causeCode, className, children, ...rest }: CausewayConnectedProps): ReactElement =>
  createElement('causeway-connected', { ...rest, class: className, 'cause-code': causeCode }, children)

type Listener = (event: CustomEvent<ConnectResult>) => void

/** Listens once, to whatever the listener of the latest rendering is. */
function useEvent(element: { readonly current: HTMLElement | null }, name: string, listener: Listener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const target = element.current
    const onEvent = (event: Event) => {
      // Events bubble: one of a button inside of this one is not this one's.
      if (event.target === target) latest.current(event as CustomEvent<ConnectResult>)
    }
    target?.addEventListener(name, onEvent)
    return () => target?.removeEventListener(name, onEvent)
  }, [element, name])
}
