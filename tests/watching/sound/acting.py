"""Sound loops that learn from rewards: their loss says nothing about how well they act."""

from __future__ import annotations

import copy
import random
from collections import deque

import torch
from torch import Tensor, nn, optim
from torch.distributions import Categorical
from torch.nn import functional as F  # noqa: N812

import goldviz
from tests.watching.sound.trained import Told, Trained, learn, loop

LONGEST = 20


class Pole:
    """A pole on a cart, pushed left or right; an episode ends when it falls, or after 30 steps."""

    def reset(self) -> Tensor:
        self.state, self.age = 0.1 * torch.rand(4) - 0.05, 0
        return self.state

    def step(self, push: int) -> tuple[Tensor, bool]:
        x, speed, angle, turn = self.state.tolist()
        force = 10.0 if push else -10.0
        turned = 15.0 * angle - 1.4 * force
        self.state = torch.tensor([x + 0.04 * speed, speed + 0.04 * force, angle + 0.04 * turn, turn + 0.04 * turned])
        self.age += 1
        return self.state, abs(angle) > 0.25 or self.age >= LONGEST


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.affine1, self.action_head, self.value_head = nn.Linear(4, 64), nn.Linear(64, 2), nn.Linear(64, 1)

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        hidden = F.relu(self.affine1(state))
        return F.softmax(self.action_head(hidden), dim=-1), self.value_head(hidden)


def discounted(count: int) -> Tensor:
    """What is still to come at each step of an episode of so many, of 1 a step; standardised."""
    returns, value = [], 0.0
    for _ in range(count):
        value = 1.0 + 0.95 * value
        returns.insert(0, value)
    told = torch.tensor(returns)
    return (told - told.mean()) / (told.std() + 1e-6)


@loop("pytorch/examples, reinforce")
def reinforce() -> Trained:
    policy = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.1), nn.ReLU(), nn.Linear(64, 2), nn.Softmax(dim=-1))
    optimizer, pole, measure = optim.Adam(policy.parameters(), lr=1e-2), Pole(), []
    with goldviz.watch(policy, optimizer) as record:
        for _episode in range(100):
            state, done, log_probs = pole.reset(), False, []
            while not done:
                chances = Categorical(policy(state[None]))
                action = chances.sample()
                log_probs.append(chances.log_prob(action))
                state, done = pole.step(int(action))
            loss = (-torch.cat(log_probs) * discounted(len(log_probs))).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            record.step(loss=loss)
            measure.append(LONGEST + 1.0 - len(log_probs))
    return Trained(measure, (record,))


@loop("pytorch/examples, actor_critic")
def actor_critic() -> Trained:
    model, pole, measure = Policy(), Pole(), []
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    with goldviz.watch(model, optimizer) as record:
        for _episode in range(100):
            state, done, told = pole.reset(), False, []
            while not done:
                chances, value = model(state)
                choice = Categorical(chances)
                action = choice.sample()
                told.append((choice.log_prob(action), value))
                state, done = pole.step(int(action))
            losses = []
            for (log_prob, value), goal in zip(told, discounted(len(told)), strict=True):
                losses += [-log_prob * (goal - value.item()), F.smooth_l1_loss(value, goal[None])]
            optimizer.zero_grad()
            loss = torch.stack([one.reshape(()) for one in losses]).sum()
            loss.backward()
            optimizer.step()
            record.step(loss=loss)
            measure.append(LONGEST + 1.0 - len(told))
    return Trained(measure, (record,))


@loop("the policy gradients of Spinning Up")
def policy_gradient() -> Trained:
    """The loss begins at 0 and stays about there: it only has the right slope."""
    policy = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 3))

    def batch() -> Told:
        state = torch.randn(128, 10)
        choice = Categorical(logits=policy(state))
        action = choice.sample()
        reward = (action == state[:, :3].argmax(1)).float()
        return -(choice.log_prob(action) * (reward - reward.mean())).mean(), 1 - reward.mean()

    return learn(policy, optim.Adam(policy.parameters(), lr=3e-3), batch, 300)


@loop("PyTorch's DQN tutorial")
def deep_q_network() -> Trained:
    """The loss rises with the values that it is about."""
    policy_net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    target_net, pole, measure = copy.deepcopy(policy_net), Pole(), []
    optimizer = optim.AdamW(policy_net.parameters(), lr=2e-3, amsgrad=True)
    memory: deque[tuple[Tensor, int, Tensor, bool]] = deque(maxlen=2000)
    draws, state, lived = random.Random(0), pole.reset(), 10
    with goldviz.watch(policy_net, optimizer) as record:
        for step in range(1200):
            greedy = draws.random() > max(0.05, 0.9 - step / 500)
            with torch.no_grad():
                action = int(policy_net(state).argmax()) if greedy else draws.randrange(2)
            after, done = pole.step(action)
            memory.append((state, action, after, done and pole.age < LONGEST))
            lived, state = (pole.age, pole.reset()) if done else (lived, after)
            if step % 4 or len(memory) < 64:
                continue
            states, actions, afters, over = zip(*draws.sample(memory, 64), strict=True)
            values = policy_net(torch.stack(states)).gather(1, torch.tensor(actions)[:, None])[:, 0]
            with torch.no_grad():
                to_come = target_net(torch.stack(afters)).max(1).values * ~torch.tensor(over)
            loss = F.smooth_l1_loss(values, 1.0 + 0.9 * to_come)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_value_(policy_net.parameters(), 100)
            optimizer.step()
            for slow, quick in zip(target_net.parameters(), policy_net.parameters(), strict=True):
                slow.data.lerp_(quick.data, 0.05)
            record.step(loss=loss)
            measure.append(LONGEST + 1.0 - lived)
    return Trained(measure, (record,))
