// SPDX-License-Identifier: Apache-2.0
// The crossbar with shader arrays, in every cycle: docs/xbar.md R-XB-1 to R-XB-5 and
// docs/sa_cache.md R-SA-1, R-SA-9, R-SA-12 to R-SA-14 around banks as ../sa_bank/sa_ref.h has
// them (R-SA-2 to R-SA-11).
#ifndef QSM_ARRAYS_REF_H
#define QSM_ARRAYS_REF_H

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "../sa_bank/sa_ref.h"

struct ArraysShape {
  unsigned sms, arrays, banks, channels, noc_lat, slots, line_bytes;
  bool front;  // a requester behind the SMs
  SaGeometry bank;
};

// A request between an SM, or the front end, and a channel.
struct ArraysRequest {
  SaRequest what;  // its line is that of the memory
  unsigned sm = 0;
  uint64_t from = 0;
};

struct ArraysAnswer {
  unsigned sm = 0, tag = 0;
  Line data;
  uint64_t from = 0;
};

struct ArraysInputs {
  std::vector<std::optional<ArraysRequest>> sent;     // per requester
  std::vector<bool> ready;                            // per channel
  std::vector<std::optional<ArraysAnswer>> response;  // per channel, offered
  std::vector<bool> skip, start;                      // per slot
  std::vector<std::vector<bool>> restore, fence;      // per SM and slot
};

class ArraysRef {
 public:
  explicit ArraysRef(const ArraysShape &shape)
      : out(shape.channels), in(shape.channels), back(requesters(shape)), s_(shape) {
    ingress_.resize(requesters(shape));
    next_port_.assign(shape.channels, 0);
    next_channel_.assign(requesters(shape), 0);
    for (unsigned a = 0; a < shape.arrays; a++) {
      arrays_.emplace_back();
      Array &array = arrays_.back();
      array.gens.assign(shape.slots, 0);
      for (unsigned b = 0; b < shape.banks; b++) array.banks.emplace_back(shape.bank, shape.slots);
      array.next_member.assign(shape.banks, 0);
      array.next_channel.assign(shape.banks, 0);
      array.next_bank.assign(members(a), 0);
    }
  }

  unsigned channel_of(uint32_t line) const { return line % s_.channels; }
  unsigned members(unsigned array) const { return (s_.sms - array + s_.arrays - 1) / s_.arrays; }
  bool takes_response(unsigned channel) const { return in[channel].size() < 2; }
  uint32_t counter(unsigned sm, unsigned bank, unsigned slot, unsigned counter) const {
    return arrays_[sm % s_.arrays].banks[bank].counters[slot][counter];
  }
  uint64_t n_contended = 0, n_two_banks = 0, n_wraps = 0;  // met

  void cycle(uint64_t cycle, const ArraysInputs &inputs) {
    std::vector<int> granted = grants(cycle);       // per channel: port
    std::vector<int> front_from = front_returns();  // channel
    std::vector<std::optional<ArraysRequest>> entering(s_.channels);
    std::vector<std::optional<ArraysAnswer>> leaving(back.size());
    std::vector<bool> popped(s_.channels, false), taken(ingress_.size(), false);

    for (unsigned c = 0; c < s_.channels; c++) {
      if (granted[c] < 0) continue;
      const unsigned port = static_cast<unsigned>(granted[c]);
      if (port == s_.arrays) {
        entering[c] = ingress_[s_.sms].front();
        taken[s_.sms] = true;
      } else {
        entering[c] = offered(port, c);
      }
    }
    if (front_from[0] >= 0) {
      const unsigned c = static_cast<unsigned>(front_from[0]);
      leaving[s_.sms] = in[c].front();
      popped[c] = true;
      next_channel_[s_.sms] = (c + 1) % s_.channels;
    }
    for (unsigned a = 0; a < s_.arrays; a++)
      run_array(a, cycle, inputs, granted, &taken, &popped, &leaving);

    for (unsigned i = 0; i < back.size(); i++) {
      if (!back[i].empty() && back[i].front().from <= cycle) back[i].pop_front();
      if (leaving[i]) {
        back[i].push_back(*leaving[i]);
        back[i].back().from = cycle + s_.noc_lat;
      }
      if (taken[i]) ingress_[i].pop_front();
      if (inputs.sent[i]) {
        ingress_[i].push_back(*inputs.sent[i]);
        ingress_[i].back().from = cycle + s_.noc_lat;
        ingress_[i].back().sm = i;
      }
    }
    for (unsigned c = 0; c < s_.channels; c++) {
      const bool takes = takes_response(c);
      if (inputs.ready[c] && !out[c].empty()) out[c].pop_front();
      if (entering[c]) {
        out[c].push_back(*entering[c]);
        next_port_[c] = (static_cast<unsigned>(granted[c]) + 1) % ports();
      }
      if (popped[c]) in[c].pop_front();
      if (takes && inputs.response[c]) in[c].push_back(*inputs.response[c]);
    }
  }

  // At the start of a cycle: requests at the ports, responses taken, and those on their way to an
  // SM or the front end.
  std::vector<std::deque<ArraysRequest>> out;
  std::vector<std::deque<ArraysAnswer>> in, back;

 private:
  struct Array {
    std::vector<SaRef> banks;
    std::vector<unsigned> gens;
    std::vector<unsigned> next_member, next_channel, next_bank;
  };

  static unsigned requesters(const ArraysShape &shape) { return shape.sms + shape.front; }
  unsigned ports() const { return s_.arrays + s_.front; }
  bool waits(unsigned requester, uint64_t cycle) const {
    return !ingress_[requester].empty() && ingress_[requester].front().from <= cycle;
  }

  // What the array's bank of the channel has for it.
  std::optional<ArraysRequest> offered(unsigned array, unsigned channel) const {
    const unsigned bank = channel % s_.banks;
    const auto &queue = arrays_[array].banks[bank].out();
    if (queue.empty()) return std::nullopt;
    ArraysRequest request;
    request.what = queue.front();
    request.what.line = queue.front().line * s_.banks + bank;
    request.sm = array + queue.front().member * s_.arrays;
    if (channel_of(request.what.line) != channel) return std::nullopt;
    return request;
  }

  std::vector<int> grants(uint64_t cycle) {  // R-SA-13, R-XB-2
    std::vector<int> result(s_.channels, -1);
    for (unsigned c = 0; c < s_.channels; c++) {
      unsigned n_want = 0;
      for (unsigned n = 0; n < ports() && out[c].size() < 2; n++) {
        const unsigned p = (next_port_[c] + n) % ports();
        const bool wants = p < s_.arrays ? offered(p, c).has_value()
                                         : waits(s_.sms, cycle) &&
                                               channel_of(ingress_[s_.sms].front().what.line) == c;
        n_want += wants;
        if (wants && result[c] < 0) result[c] = static_cast<int>(p);
      }
      n_contended += n_want > 1;
    }
    return result;
  }

  std::vector<int> front_returns() const {  // R-XB-5
    for (unsigned n = 0; n < s_.channels && s_.front; n++) {
      const unsigned c = (next_channel_[s_.sms] + n) % s_.channels;
      if (!in[c].empty() && in[c].front().sm == s_.sms) return {static_cast<int>(c)};
    }
    return {-1};
  }

  void run_array(unsigned a, uint64_t cycle, const ArraysInputs &inputs,
                 const std::vector<int> &granted, std::vector<bool> *taken,
                 std::vector<bool> *popped, std::vector<std::optional<ArraysAnswer>> *leaving) {
    Array &array = arrays_[a];
    std::vector<bool> returned(s_.banks, false);
    for (unsigned m = 0; m < members(a); m++) {  // R-SA-12
      unsigned n_have = 0;
      for (unsigned n = 0, from = array.next_bank[m]; n < s_.banks; n++) {
        const unsigned b = (from + n) % s_.banks, sm = a + m * s_.arrays;
        const auto &queue = array.banks[b].back();
        if (queue.empty() || queue.front().member != m) continue;
        if (n_have++) continue;
        (*leaving)[sm] = ArraysAnswer{sm, queue.front().txn, queue.front().data, 0};
        returned[b] = true;
        array.next_bank[m] = (b + 1) % s_.banks;
      }
      n_two_banks += n_have > 1;
    }
    std::vector<bool> renew(s_.slots);  // R-SA-14
    bool wrap = false;
    for (unsigned k = 0; k < s_.slots; k++) {
      renew[k] = inputs.start[k];
      for (unsigned m = 0; m < members(a); m++)
        if (inputs.restore[a + m * s_.arrays][k] || inputs.fence[a + m * s_.arrays][k])
          renew[k] = true;
      wrap = wrap || (renew[k] && array.gens[k] == 255);
    }
    n_wraps += wrap;
    for (unsigned b = 0; b < s_.banks; b++)
      run_bank(a, b, cycle, inputs, granted, wrap, returned[b], taken, popped);
    for (unsigned k = 0; k < s_.slots; k++)
      if (renew[k]) array.gens[k] = (array.gens[k] + 1) % 256;
  }

  void run_bank(unsigned a, unsigned b, uint64_t cycle, const ArraysInputs &inputs,
                const std::vector<int> &granted, bool wrap, bool returned, std::vector<bool> *taken,
                std::vector<bool> *popped) {
    Array &array = arrays_[a];
    SaRef &bank = array.banks[b];
    SaInputs in_bank;
    SaRequest request;
    SaAnswer response;
    const unsigned n_members = members(a), each = s_.channels / s_.banks;
    for (unsigned n = 0; n < n_members && bank.takes_request() && !in_bank.request; n++) {
      const unsigned m = (array.next_member[b] + n) % n_members, sm = a + m * s_.arrays;
      if (!waits(sm, cycle) || ingress_[sm].front().what.line % s_.banks != b) continue;
      request = ingress_[sm].front().what;
      request.line /= s_.banks;
      request.member = m;
      in_bank.request = &request;
      (*taken)[sm] = true;
      array.next_member[b] = (m + 1) % n_members;
    }
    for (unsigned n = 0; n < each && bank.takes_response() && !in_bank.response; n++) {
      const unsigned i = (array.next_channel[b] + n) % each, c = i * s_.banks + b;
      if (in[c].empty() || in[c].front().sm >= s_.sms || in[c].front().sm % s_.arrays != a)
        continue;
      const ArraysAnswer &head = in[c].front();
      response = SaAnswer{head.sm / s_.arrays, head.tag, head.data};
      in_bank.response = &response;
      (*popped)[c] = true;
      array.next_channel[b] = (i + 1) % each;
    }
    for (unsigned c = b; c < s_.channels; c += s_.banks)
      if (granted[c] == static_cast<int>(a)) in_bank.out_ready = true;
    in_bank.back_ready = returned;
    in_bank.wrap = wrap;
    in_bank.skip = inputs.skip;
    in_bank.gens = array.gens;
    bank.cycle(in_bank);
    for (unsigned k = 0; k < s_.slots; k++)
      if (inputs.start[k]) bank.counters[k].assign(SaRef::kCounters, 0);
  }

  const ArraysShape s_;
  std::vector<Array> arrays_;
  std::vector<std::deque<ArraysRequest>> ingress_;
  std::vector<unsigned> next_port_, next_channel_;
};

#endif
