'use client'
// Supports React 18, which does not handle events of custom elements, and React 19.
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
  /** Your address that starts a link and redirects to Causeway. */
  action: string
  /** Only a popup has events. */
  mode?: 'page' | 'popup' | undefined
  disabled?: boolean | undefined
  /** Sent to `action`, such as a CSRF token. */
  fields?: Readonly<Record<string, string>> | undefined
  onLinked?: ((result: ConnectResult) => void) | undefined
  /** Not linked yet. The link continues, and a webhook reports the result. */
  onPending?: ((result: ConnectResult) => void) | undefined
  onFailed?: ((result: ConnectResult) => void) | undefined
  /** The user is back on this page without a result. A result may still arrive. */
  onClosed?: (() => void) | undefined
  children?: ReactNode
}

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
  // React 18 writes every value as an attribute of a custom element, even `false`.
  const attributes = { ...rest, mode, class: className, disabled: disabled ? '' : undefined, ref: element }
  return createElement('causeway-connect', attributes, children, ...inputs)
})

export type CausewayConnectedProps = Omit<HTMLAttributes<HTMLElement>, 'children'> & {
  /** The `status` of the link that `finish` returned. */
  status: string
  /** The link's `cause.code`. */
  causeCode?: string | undefined
  /** Shown if the window can't be closed. */
  children?: ReactNode
}

/** For the return page: reports the result to the page with the button and closes the popup. */
export const CausewayConnected = ({ causeCode, className, children, ...rest }: CausewayConnectedProps): ReactElement =>
  createElement('causeway-connected', { ...rest, class: className, 'cause-code': causeCode }, children)

type Listener = (event: CustomEvent<ConnectResult>) => void

/** Subscribes once and calls the listener of the latest render. */
function useEvent(element: { readonly current: HTMLElement | null }, name: string, listener: Listener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const target = element.current
    const onEvent = (event: Event) => {
      // Ignore events that bubble up from nested buttons.
      if (event.target === target) latest.current(event as CustomEvent<ConnectResult>)
    }
    target?.addEventListener(name, onEvent)
    return () => target?.removeEventListener(name, onEvent)
  }, [element, name])
}
