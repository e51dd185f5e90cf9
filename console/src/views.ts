import { computed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { ActivityView } from './activity/activity-view.tsx';
import { OverviewView } from './overview/overview-view.tsx';
import { PlantsView } from './plants/plants-view.tsx';
import { may } from './service/tokens.ts';
import { TagsView } from './tags/tags-view.tsx';
import { TokensView } from './tokens/tokens-view.tsx';
import { TransferView } from './transfer/transfer-view.tsx';
import { Activity, ArrowUpDown, Gauge, type IconPath, Key, Leaf, Tag, Webhook } from './ui/icons.js';
import { route } from './ui/route.ts';
import { WebhooksView } from './webhooks/webhooks-view.tsx';

/** Every view, by its name in the address. */
export const VIEWS = {
  plants: { title: 'Plants', icon: Leaf, View: PlantsView },
  tags: { title: 'Tags', icon: Tag, View: TagsView },
  activity: { title: 'Activity', icon: Activity, View: ActivityView },
  transfer: { title: 'Import and export', icon: ArrowUpDown, View: TransferView },
  webhooks: { title: 'Webhooks', icon: Webhook, View: WebhooksView },
  tokens: { title: 'Access', icon: Key, View: TokensView },
  overview: { title: 'Overview', icon: Gauge, View: OverviewView },
} as const satisfies Record<string, { title: string; icon: IconPath; View: ComponentType }>;

/** The name of the view that the address opens. */
export const currentView = computed(() => {
  const { view } = route.value;
  return Object.hasOwn(VIEWS, view) ? (view as keyof typeof VIEWS) : 'plants';
});

export function availableViews() {
  return Object.entries(VIEWS).filter(([view]) => !['webhooks', 'tokens'].includes(view) || may('admin'));
}
