import { buffer } from 'node:stream/consumers';
import {
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
  type Route,
} from 'playwright-core';
import { describe, expect, inject, onTestFinished } from 'vitest';
import type { Scope } from '../../../../src/kernel/auth/principal.js';
import { type Service, startService, TOKEN } from '../../../support/service.js';
import { issue } from '../../../support/tokens.js';
import { browserOfThisRun } from '../../../support/setup/browser.setup.js';

/** Milliseconds for which a test waits for what it has to see. */
const PATIENCE_MS = 15_000;

/** The answer of a service that has too much to do. */
export const BUSY = {
  status: 503,
  headers: { 'Retry-After': '1' },
  json: { error: 50300, message: 'The service is busy.' },
};

/** How often the way to a control is looked for at most. */
const MOST_TURNS = 5;

interface Options {
  /** What a test uses the console with. */
  readonly hand?: 'mouse' | 'keyboard';
  /** Signs in; an empty text does not. */
  readonly token?: string;
  /** Signs in with a token of these scopes instead. */
  readonly scopes?: readonly Scope[];
  /** The fragment to open. */
  readonly at?: string;
  /** What the service starts with. */
  readonly plants?: readonly object[];
  readonly context?: BrowserContextOptions;
  /** What may go wrong in this test: parts of a message, or statuses. */
  readonly expected?: readonly RegExp[];
}

/** Tests in a real browser; without one they are skipped, and their name says so. */
export function describeConsole(name: string, body: () => void): void {
  const isMissing = inject('browser') === '';
  const hint = isMissing ? ' (skipped: apt-get install chromium, or name a Chromium in BROWSER)' : '';
  describe.skipIf(isMissing)(`console: ${name}${hint}`, body);
}

/** The console as one user has it before him: a page of its own storage, in which nothing may go wrong unnoticed. */
export class ConsolePage {
  private readonly problems: string[] = [];

  private constructor(
    readonly service: Service,
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly hand: 'mouse' | 'keyboard',
    private readonly expected: readonly RegExp[],
  ) {
    page.on('console', (message) => {
      // A response tells of itself.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.problems.push(`The page has logged: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`The page has failed: ${error.message}`));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== service.url && protocol !== 'data:')
        this.problems.push(`The page has asked ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 500) this.problems.push(`${response.status()} ${response.url()}`);
    });
  }

  /** Opens the console of a service of its own, or of another one; in a browser of its own, or as a further tab. */
  static async open(
    {
      hand = 'mouse',
      scopes,
      at = '',
      plants = [],
      context: options = {},
      expected = [],
      ...rest
    }: Options = {},
    service?: Service,
    browser?: BrowserContext,
  ): Promise<ConsolePage> {
    const started = service ?? (await startService());
    for (const plant of plants) await started.create(plant);
    const { token = scopes === undefined ? TOKEN : (await issue(started, scopes)).secret } = rest;
    const context = browser ?? (await (await browserOfThisRun()).newContext(options));
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(() =>
      addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) =>
        console.error(`The policy forbids ${violatedDirective} ${sample}`),
      ),
    );
    const opened = new ConsolePage(started, context, await context.newPage(), hand, expected);
    onTestFinished(async () => opened.end());
    await opened.goTo(at);
    if (token !== '') await opened.enter(token);
    return opened;
  }

  async goTo(fragment: string): Promise<void> {
    await this.page.goto(`${this.service.url}/console/${fragment}`);
  }

  /** The dialog in front, or the page if there is none. */
  private get front(): Locator {
    return this.page.locator('dialog, body:not(:has(dialog))').last();
  }

  /** The dialog in front. */
  get dialog(): Locator {
    return this.page.getByRole('dialog').last();
  }

  /** A control of the dialog in front, or of the page if there is none. */
  control(role: 'button' | 'textbox' | 'searchbox' | 'checkbox' | 'link', name: string | RegExp): Locator {
    // Pages are turned above and below the list.
    const found = this.front.getByRole(role, { name, exact: true });
    // A field with suggestions.
    const combobox = this.front.getByRole('combobox', { name, exact: true });
    return (role === 'textbox' || role === 'searchbox' ? found.or(combobox) : found).first();
  }

  /** A row of the table, by a part of its text. */
  row(text: string): Locator {
    return this.page.locator('tbody tr').filter({ hasText: text });
  }

  /** An item of a list, by a part of its text. */
  item(text: string | RegExp): Locator {
    return this.page.locator('main li').filter({ hasText: text }).last();
  }

  async press(role: 'button' | 'checkbox' | 'link', name: string | RegExp): Promise<void> {
    return this.use(role, this.control(role, name));
  }

  /** Presses a control that is found in another way. */
  async use(role: 'button' | 'checkbox' | 'link', control: Locator): Promise<void> {
    if (this.hand === 'mouse') return control.click();
    await this.reach(control);
    await this.page.keyboard.press(role === 'checkbox' ? 'Space' : 'Enter');
  }

  /** Puts a text in place of that of a field. */
  async fill(name: string, text: string, role: 'textbox' | 'searchbox' = 'textbox'): Promise<void> {
    const field = this.control(role, name);
    if (this.hand === 'mouse') return field.fill(text);
    await this.reach(field);
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.insertText(text);
  }

  /** Signs in by whichever hand is faster. */
  private async enter(token: string): Promise<void> {
    const field = this.control('textbox', 'Access token');
    await field.fill(token);
    await field.press('Enter');
    await this.closesDialog();
  }

  /** Signs in by the form. */
  async signIn(token = TOKEN): Promise<void> {
    await this.fill('Access token', token);
    await this.press('button', 'Sign in');
  }

  /** Handles the next requests of a method in another way; the service sees them only by what `handle` does. */
  async disturb(
    path: string,
    method: string,
    handle: (route: Route) => Promise<void>,
    times = 1,
  ): Promise<void> {
    let left = times;
    await this.page.route(path, async (route) => {
      if (route.request().method() !== method || left <= 0) return route.fallback();
      left -= 1;
      return handle(route);
    });
  }

  /** Holds back the next requests of a method until the returned function is called. */
  async hold(path: string, method: string, times = 1): Promise<() => void> {
    const { promise: isOver, resolve: release } = Promise.withResolvers<void>();
    const handle = async (route: Route) => {
      await isOver;
      // The page may have cancelled the request.
      await route.continue().catch(() => undefined);
    };
    await this.disturb(path, method, handle, times);
    return release;
  }

  /** Waits until an alert, or a status, has this text. */
  async shows(role: 'alert' | 'status', text: string | RegExp): Promise<void> {
    await this.page.getByRole(role).filter({ hasText: text }).first().waitFor();
  }

  /** Waits until the page has this text. */
  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** The text in a field. */
  async text(name: string, role: 'textbox' | 'searchbox' = 'textbox'): Promise<string> {
    return this.control(role, name).inputValue();
  }

  /** Puts the focus on a control by the Tab key, in a row by the arrow keys; who looks for it has to see where it is. */
  async reach(control: Locator): Promise<void> {
    await control.waitFor();
    const steps = await control.evaluate(stepsInRow);
    if (steps !== undefined) {
      await this.reach(control.locator('xpath=ancestor::tr').locator('th button'));
      for (let step = 0; step < Math.abs(steps); step += 1)
        await this.page.keyboard.press(steps > 0 ? 'ArrowRight' : 'ArrowLeft');
    }
    for (
      let turn = 0;
      !(await control.evaluate((element) => element === document.activeElement));
      turn += 1
    ) {
      expect(turn, `The Tab key does not lead to ${String(control)}.`).toBeLessThan(MOST_TURNS);
      const times = await control.evaluate(tabsTo);
      await Promise.all(Array.from({ length: times }, async () => this.page.keyboard.press('Tab')));
    }
    expect(await control.evaluate(visibilityOfFocus), String(control)).toEqual({
      ring: true,
      covered: false,
    });
  }

  /** Presses a button that saves a file, and returns that file. */
  async saves(button: string): Promise<{ name: string; content: string }> {
    const saving = this.page.waitForEvent('download');
    await this.press('button', button);
    const download = await saving;
    return {
      name: download.suggestedFilename(),
      content: (await buffer(await download.createReadStream())).toString(),
    };
  }

  /** Waits until no dialog is open. */
  async closesDialog(): Promise<void> {
    await this.page.locator('dialog').waitFor({ state: 'detached' });
  }

  /** Waits until a form has the plant that it edits. */
  async isLoaded(): Promise<void> {
    await this.dialog.locator('form[aria-busy=false]').waitFor();
  }

  /** Waits until the console says that something has been done, and shows it. */
  async says(text: string | RegExp): Promise<void> {
    const messages = this.page.locator('[role=status][aria-atomic] p');
    await expect
      .poll(async () => (await messages.allTextContents()).join().replaceAll(/[\u2068\u2069]/g, ''))
      .toMatch(text);
    await this.page.locator('table[aria-busy=true]').waitFor({ state: 'detached' });
  }

  /** Waits until the focus is on what has this name. */
  async focuses(name: string): Promise<void> {
    await expect.poll(async () => this.page.evaluate(nameInFocus)).toBe(name);
  }

  private async end(): Promise<void> {
    // An open page may still ask for something.
    if (!this.page.isClosed()) await this.page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.context.close();
    const unexpected = this.problems.filter((problem) => !this.expected.some((each) => each.test(problem)));
    expect(unexpected).toEqual([]);
  }
}

function nameInFocus(): string | null | undefined {
  return document.activeElement?.ariaLabel ?? document.activeElement?.textContent;
}

/** About how often the Tab key has to be pressed until it leads to an element. */
function tabsTo(element: Element): number {
  const all: Element[] = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, textarea, select, summary, [tabindex="0"]',
    ),
  ]
    .filter((each) => each.tabIndex >= 0 && each.checkVisibility())
    .filter((each) => each.closest('dialog') === element.closest('dialog'));
  const steps = all.indexOf(element) - all.indexOf(document.activeElement ?? element);
  return steps > 0 ? steps : Math.max(all.length + steps, 1);
}

/** How far a control is from the one of its row that the Tab key leads to; undefined if that is itself, or in no row. */
function stepsInRow(element: Element): number | undefined {
  const row = element instanceof HTMLElement && element.tabIndex < 0 ? element.closest('tr') : null;
  const opener = row?.querySelector('th button');
  if (!row || !opener) return undefined;
  const controls = [...row.querySelectorAll('input, button, a')];
  return controls.indexOf(element) - controls.indexOf(opener);
}

/** Whether an element that has the focus shows it, and is not all under something else. */
function visibilityOfFocus(element: Element): { ring: boolean; covered: boolean } {
  // A field shares the ring with its label.
  const { outlineStyle, outlineWidth } = getComputedStyle(element.closest('.box') ?? element);
  const { left, right, top, bottom, x, y, width, height } = element.getBoundingClientRect();
  const points = [
    [x + width / 2, y + height / 2],
    [left + 8, top + 8],
    [right - 8, bottom - 8],
  ] as const;
  const isSeen = points.some(([horizontal, vertical]) => {
    const front = document.elementFromPoint(horizontal, vertical);
    return front !== null && (element.contains(front) || front.contains(element));
  });
  return { ring: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2, covered: !isSeen };
}
