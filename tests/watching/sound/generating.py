"""Sound loops that learn to generate: the loss of most is no measure of how far they are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn, optim
from torch.nn import functional as F  # noqa: N812

import goldviz
from goldviz.watching.watcher import Watcher
from tests.watching.sound.trained import Told, Trained, digits, learn, loop, ring, some_digits


class Generator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(8, 16, 4, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
            nn.ConvTranspose2d(16, 1, 4, 2, 1, bias=False), nn.Tanh(),
        )  # fmt: skip

    def forward(self, noise: Tensor) -> Tensor:
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, 8, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True),
            nn.Conv2d(8, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.LeakyReLU(0.2, True),
            nn.Conv2d(16, 1, 4, bias=False), nn.Sigmoid(),
        )  # fmt: skip
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.normal_(module.weight, 0.0, 0.1)

    def forward(self, image: Tensor) -> Tensor:
        return self.main(image).view(-1)


def _dcgan(watched: str) -> Trained:
    """The tutorial's order: D learns from real images, then from fakes, and G from what D says of them."""
    torch.manual_seed(1)  # with others, D alone is warned of
    g, d, criterion, measure = Generator(), Discriminator(), nn.BCELoss(), []
    of_d = optim.Adam(d.parameters(), lr=1e-3, betas=(0.5, 0.999))
    of_g = optim.Adam(g.parameters(), lr=2e-3, betas=(0.5, 0.999))
    records: dict[str, Watcher] = {}
    if "d" in watched:
        records["d"] = goldviz.watch(d, of_d, name="D")
    if "g" in watched:
        records["g"] = goldviz.watch(g, of_g, name="G")
    mean_image = digits()[0].mean(0).view(8, 8)
    for _ in range(120):
        d.zero_grad()
        real = some_digits(32)[0].view(-1, 1, 8, 8) * 2 - 1
        loss_real = criterion(d(real), torch.full((32,), 1.0))
        loss_real.backward()
        fake = g(torch.randn(32, 8, 1, 1))
        loss_fake = criterion(d(fake.detach()), torch.full((32,), 0.0))
        loss_fake.backward()
        of_d.step()
        g.zero_grad()
        loss_g = criterion(d(fake), torch.full((32,), 1.0))
        loss_g.backward()
        of_g.step()
        for name, loss in (("d", loss_real + loss_fake), ("g", loss_g)):
            if name in records:
                records[name].step(loss=loss)
        measure.append((fake.detach().mean((0, 1)) / 2 + 0.5 - mean_image).square().mean().item())
    for record in records.values():
        record.close()
    return Trained(measure, tuple(records.values()))


@loop("PyTorch's DCGAN tutorial")
def dcgan_discriminator() -> Trained:
    return _dcgan("d")


@loop("PyTorch's DCGAN tutorial")
def dcgan_generator() -> Trained:
    return _dcgan("g")


@loop("PyTorch's DCGAN tutorial")
def dcgan_both() -> Trained:
    return _dcgan("dg")


@loop("eriklindernoren/PyTorch-GAN, wgan_gp")
def gradient_penalty() -> Trained:
    g = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    layers = [nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)]
    critic, measure = nn.Sequential(*layers), []
    of_g, of_critic = (optim.Adam(one.parameters(), lr=2e-3, betas=(0.0, 0.9)) for one in (g, critic))
    record = goldviz.watch(critic, of_critic)
    for number in range(300):
        of_critic.zero_grad()
        real, fake = ring(64), g(torch.randn(64, 4))
        share = torch.rand(64, 1)
        between = (share * real + (1 - share) * fake).detach().requires_grad_(True)
        [slope] = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        loss = critic(fake.detach()).mean() - critic(real).mean() + 10 * ((slope.norm(2, dim=1) - 1) ** 2).mean()
        loss.backward()
        of_critic.step()
        record.step(loss=loss)
        of_g.zero_grad()
        if number % 3 == 2:
            (-critic(g(torch.randn(64, 4))).mean()).backward()
            of_g.step()
        measure.append((fake.detach().norm(dim=1) - 1).abs().mean().item())
    record.close()
    return Trained(measure, (record,))


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(64, 32), nn.Linear(32, 4), nn.Linear(32, 4)
        self.fc3, self.fc4 = nn.Linear(4, 32), nn.Linear(32, 64)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = F.relu(self.fc1(x))
        mu, logvar = self.fc21(hidden), self.fc22(hidden)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


def _vae(shares: Iterator[float]) -> Trained:
    model = Vae()

    def batch() -> Told:
        data, _ = some_digits(128)
        recon, mu, logvar = model(data)
        loss = F.binary_cross_entropy(recon, data, reduction="sum")
        loss = loss - next(shares) * 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return loss, F.mse_loss(recon, data)

    return learn(model, optim.Adam(model.parameters(), lr=3e-3), batch, 300)


@loop("pytorch/examples, vae")
def variational_autoencoder() -> Trained:
    return _vae(itertools.repeat(1.0))


@loop("the annealed divergence of text autoencoders")
def divergence_comes_later() -> Trained:
    return _vae(iter([max(0.0, (step - 100) / 100) for step in range(300)]))


class Denoiser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.when = nn.Embedding(50, 32)
        self.into, self.mid, self.out = nn.Linear(2, 32), nn.Linear(32, 32), nn.Linear(32, 2)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        hidden = F.silu(self.into(x) + self.when(t))
        return self.out(hidden + F.silu(self.mid(hidden)))


@loop("lucidrains/denoising-diffusion-pytorch")
def diffusion() -> Trained:
    model, left = Denoiser(), torch.cumprod(1 - torch.linspace(1e-3, 0.15, 50), 0)
    average = optim.swa_utils.AveragedModel(model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.99))

    def batch() -> Told:
        average.update_parameters(model)
        x, t, noise = ring(128), torch.randint(50, (128,)), torch.randn(128, 2)
        noisy = left[t, None].sqrt() * x + (1 - left[t, None]).sqrt() * noise
        loss = F.mse_loss(model(noisy, t), noise)
        return loss, loss

    return learn(model, optim.Adam(model.parameters(), lr=5e-3), batch, 300, "backward clip step clear tell")


@loop("PyTorch's neural style tutorial")
def neural_style() -> Trained:
    """The network stays as it is; what learns is the image, which is none of its parameters."""
    cnn = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, padding=1)).eval()
    cnn.requires_grad_(False)
    content, style = digits()[0][0].view(1, 1, 8, 8), digits()[0][7].view(1, 1, 8, 8)
    image, measure = torch.rand_like(content).requires_grad_(True), []
    optimizer = optim.LBFGS([image], max_iter=4)

    def gram(features: Tensor) -> Tensor:
        rows = features.flatten(2)[0]
        return rows @ rows.T / rows.numel()

    with goldviz.watch(cnn, optimizer) as record:
        for _ in range(20):

            def closure() -> Tensor:
                with torch.no_grad():
                    image.clamp_(0, 1)
                optimizer.zero_grad()
                features = cnn(image)
                told = 10 * F.mse_loss(features, cnn(content)) + 100 * F.mse_loss(gram(features), gram(cnn(style)))
                told.backward()
                return told

            loss = optimizer.step(closure)
            record.step(loss=loss)
            measure.append(loss.item())
    return Trained(measure, (record,))


class Coupling(nn.Module):
    def __init__(self, which: int) -> None:
        super().__init__()
        self.which = which
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept, moved = x[:, self.which, None], x[:, 1 - self.which, None]
        scale, shift = self.net(kept).chunk(2, 1)
        moved = moved * torch.exp(torch.tanh(scale)) + shift
        parts = [kept, moved] if self.which == 0 else [moved, kept]
        return torch.cat(parts, 1), torch.tanh(scale)[:, 0]


class Flow(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Coupling(at % 2) for at in range(6)])

    def forward(self, x: Tensor) -> Tensor:
        told = torch.zeros(len(x))
        for layer in self.layers:
            x, part = layer(x)
            told = told + part
        return told - 0.5 * x.square().sum(1) - math.log(2 * math.pi)


@loop("kamenbliznashki/normalizing_flows")
def normalising_flow() -> Trained:
    """Points that lie close together: their density is large, so the loss falls below 0."""
    model = Flow()
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    best = 2 * math.log(0.05) + math.log(2 * math.pi) + 1  # the entropy of what is drawn

    def batch() -> Told:
        loss = -model(0.05 * torch.randn(128, 2) + torch.tensor([1.0, -0.5])).mean()
        return loss, loss - best

    return learn(model, optimizer, batch, 300)


@loop("rosinality/igebm-pytorch")
def energy_based() -> Trained:
    """The loss stays about 0: samples follow the energy, and the energy follows them."""
    energy = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    optimizer, there = optim.Adam(energy.parameters(), lr=3e-3), torch.rand(256, 2) * 4 - 2

    def batch() -> Told:
        rows = torch.randint(256, (64,))
        x = torch.where(torch.rand(64, 1) < 0.05, torch.rand(64, 2) * 4 - 2, there[rows])
        energy.requires_grad_(False)
        for _ in range(8):
            x = x.detach().requires_grad_(True)
            [slope] = torch.autograd.grad(energy(x).sum(), x)
            x = x - 0.1 * slope + 0.05 * torch.randn_like(x)
        energy.requires_grad_(True)
        there[rows] = x.detach()
        of_data, of_samples = energy(ring(64)), energy(x.detach())
        loss = of_data.mean() - of_samples.mean() + 0.1 * (of_data**2 + of_samples**2).mean()
        return loss, (there.norm(dim=1) - 1).abs().mean()

    return learn(energy, optimizer, batch, 300)


@loop("the sparse autoencoders of interpretability")
def sparse_autoencoder() -> Trained:
    """Most of its units are 0 for most rows, as is meant."""
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))

    def batch() -> Told:
        x, _ = some_digits(128)
        with torch.no_grad():
            model[2].weight.div_(model[2].weight.norm(dim=0).clamp_min(1e-6))
        codes = model[1](model[0](x))
        recon = model[2](codes)
        return (recon - x).square().sum(1).mean() + 0.1 * codes.abs().sum(1).mean(), F.mse_loss(recon, x)

    return learn(model, optim.Adam(model.parameters(), lr=2e-3), batch, 300)
